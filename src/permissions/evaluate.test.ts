import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainPolicy, toolsByKind } from '../../test/support/policy.ts';
import type { Access, PermissionMode } from '../contract/permission.ts';
import { evaluate } from './evaluate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const base: Policy = plainPolicy(cwd);

function judge(kind: Access['kind'], target: string, policy: Partial<Policy> = {}) {
  return evaluate(
    { tool: toolsByKind[kind], accesses: [{ kind, target }], input: {} },
    { ...base, ...policy },
  );
}
const rules = (some: Partial<Policy['rules']>): Partial<Policy> => ({ rules: { ...base.rules, ...some } });
const grant = (
  pattern: string,
  type: Access['kind'],
  action: 'allow' | 'deny' = 'allow',
): Partial<Policy> => ({
  grants: [{ type, pattern, action, scope: 'session', grantedAt: '2026-01-01T00:00:00.000Z' }],
});

describe('[P05][P12] without rules', () => {
  const table: [kind: Access['kind'], target: string, verdict: string][] = [
    ['read', 'src/a.ts', 'allow'],
    ['delegate', 'general', 'allow'],
    ['read', '/etc/passwd', 'ask'],
    ['read', '../x', 'ask'],
    ['write', 'src/a.ts', 'ask'],
    ['write', '/etc/passwd', 'ask'],
    ['execute', 'git status', 'allow'],
    ['execute', 'make', 'ask'],
    ['execute', 'sudo make', 'deny'],
    ['fetch', 'https://a.org', 'ask'],
  ];
  test.each(table)('%s %s: %s', (kind, target, verdict) => expect(judge(kind, target).verdict).toBe(verdict));

  test.each<[target: string, policy: Partial<Policy>, onlyReads: true | undefined]>([
    ['git status', {}, true],
    ['cat a.txt | wc -l', {}, true],
    ['cat a.txt | wc -l', { mode: 'plan' }, true],
    ['cat a.txt | wc -l', { requireApprovalForCommands: false }, true],
    ['make', { requireApprovalForCommands: false }, undefined],
    ['make', {}, undefined],
    // A script of the project writes what it builds.
    ['npm test', { trusted: true }, undefined],
    ['git status && npm test', { trusted: true }, undefined],
    // Allowed by someone, not because it only reads.
    ['git status', rules({ allow: ['Bash(git *)'] }), undefined],
    ['git status', grant('Bash(git status)', 'execute'), undefined],
    ['git status', { mode: 'plan', ...rules({ allow: ['Bash(git *)'] }) }, true],
    ['git status', { mode: 'read-only', ...grant('Bash(git status)', 'execute') }, true],
    ['git status', rules({ ask: ['Bash'] }), undefined],
    ['git status', rules({ deny: ['Bash'] }), undefined],
  ])('%s with %j is allowed because it only reads: %s', (target, policy, onlyReads) => {
    expect(judge('execute', target, policy).onlyReads).toBe(onlyReads);
  });

  test('of several accesses, every command must only read', () => {
    const verdict = (...targets: string[]) =>
      evaluate(
        { tool: 'Bash', accesses: targets.map((target) => ({ kind: 'execute', target })), input: {} },
        { ...base, requireApprovalForCommands: false },
      );
    expect(verdict('git status', 'ls').onlyReads).toBe(true);
    expect(verdict('git status', 'make').onlyReads).toBe(undefined);
    expect(verdict('make', 'git status').onlyReads).toBe(undefined);
  });

  test('a tool that accesses nothing is free, an MCP tool is not', () => {
    expect(evaluate({ tool: 'Think', accesses: [], input: {} }, base)).toEqual({
      verdict: 'allow',
      because: 'Think changes nothing',
      by: 'default',
    });
    expect(evaluate({ tool: 'github:list', accesses: [], input: {} }, base).verdict).toBe('ask');
  });

  test.each<[what: Partial<Access>, policy: Partial<Policy>, verdict: string]>([
    [{}, { mode: 'plan', ...rules({ allow: ['mcp:*'] }) }, 'deny'],
    [{ looks: true }, { mode: 'plan', ...rules({ allow: ['mcp:github:list'] }) }, 'allow'],
    [{ looks: true }, { mode: 'read-only' }, 'ask'],
    [{ looks: true }, {}, 'ask'],
    [{ looks: true }, rules({ deny: ['mcp:github'] }), 'deny'],
    [{ unseen: 'it is new' }, rules({ allow: ['mcp:*'] }), 'ask'],
    [{ unseen: 'it is new' }, { ...rules({ allow: ['mcp:*'] }), mode: 'auto' }, 'deny'],
    [{ unseen: 'it is new' }, rules({ deny: ['mcp:*'] }), 'deny'],
  ])(
    'an MCP tool that is %j is judged accordingly, but never more freely than the rules say',
    (what, policy, verdict) => {
      const accesses: Access[] = [{ kind: 'execute', target: 'github:list', ...what }];
      expect(evaluate({ tool: 'github:list', accesses, input: {} }, { ...base, ...policy }).verdict).toBe(
        verdict,
      );
    },
  );

  test('of several accesses the strictest verdict wins', () => {
    const accesses: Access[] = [
      { kind: 'read', target: 'a' },
      { kind: 'execute', target: 'sudo ls' },
      { kind: 'write', target: 'a' },
    ];
    expect(evaluate({ tool: 'Bash', accesses, input: {} }, base)).toEqual({
      verdict: 'deny',
      because: 'Command is blocked: runs as another user',
      by: 'built-in privileges',
    });
  });

  test('settings loosen and tighten the defaults', () => {
    expect(judge('read', 'a', { requireApprovalForReads: true }).verdict).toBe('ask');
    expect(judge('write', 'a', { requireApprovalForWrites: false }).verdict).toBe('allow');
    expect(judge('write', '/etc/x', { requireApprovalForWrites: false }).verdict).toBe('ask');
    expect(judge('execute', 'make', { requireApprovalForCommands: false }).verdict).toBe('allow');
    expect(judge('execute', 'sudo make', { requireApprovalForCommands: false }).verdict).toBe('deny');
  });
});

describe('precedence', () => {
  test('[Y07] a built-in deny overrides every rule and grant', () => {
    const loose = { ...rules({ allow: ['Bash', 'Bash(sudo *)'] }), ...grant('Bash(sudo ls)', 'execute') };
    expect(judge('execute', 'sudo ls', loose).by).toBe('built-in privileges');
    expect(
      judge('execute', 'git push', { ...rules({ allow: ['Bash'] }), blockedCommands: ['git push'] }),
    ).toEqual({
      verdict: 'deny',
      because: 'Command is blocked',
      by: 'blocked command git push',
    });
  });

  test('deny before ask before allow', () => {
    const all = rules({ deny: ['Bash(make *)'], ask: ['Bash(make *)', 'Bash(ls *)'], allow: ['Bash'] });
    expect(judge('execute', 'make', all).by).toBe('rule deny Bash(make *)');
    expect(judge('execute', 'ls', all).by).toBe('rule ask Bash(ls *)');
    expect(judge('execute', 'touch a', all).by).toBe('rule allow Bash');
  });

  test('[P07] a grant applies to its own kind of access only', () => {
    expect(judge('write', 'a', grant('Edit(a)', 'write')).by).toBe('grant Edit(a)');
    expect(judge('write', 'a', grant('Edit(a)', 'read')).verdict).toBe('ask');
    expect(judge('write', 'b', grant('Edit(a)', 'write')).verdict).toBe('ask');
    expect(judge('execute', 'ls', grant('Bash(ls)', 'execute', 'deny')).by).toBe('grant Bash(ls)');
  });

  test('a denied file is not readable through a command either', () => {
    const secret = rules({ deny: ['Read(private/**)'] });
    expect(judge('execute', 'cat private/a', secret).verdict).toBe('deny');
    expect(judge('execute', 'cd private && cat a', secret).verdict).toBe('deny');
    expect(judge('execute', 'git show HEAD:private/a', secret).verdict).toBe('deny');
    expect(judge('execute', 'cat public/a', secret).verdict).toBe('allow');
  });

  test('rules combine with read-only commands in a line, but not after a directory change', () => {
    const two = rules({ allow: ['Bash(npm test)', 'Bash(make *)'] });
    expect(judge('execute', 'npm test | tail -5', two).by).toBe('rule allow Bash(npm test)');
    expect(judge('execute', 'make all && npm test', two).by).toBe('rule allow Bash(make *), Bash(npm test)');
    expect(judge('execute', 'npm test; rm x', two).verdict).toBe('ask');
    expect(judge('execute', 'npm test > out', two).verdict).toBe('ask');
    expect(judge('execute', 'cd sub && npm test', two).verdict).toBe('ask');
    const moving = rules({ allow: ['Bash(npm test)', 'Bash(cd *)'] });
    expect(judge('execute', 'cd sub && npm test', moving).verdict).toBe('allow');
    expect(judge('execute', 'cd sub && npm test && cat a', moving).verdict).toBe('ask');
  });

  test('files that other programs execute are asked about whatever is allowed', () => {
    for (const target of [
      '.git/hooks/pre-commit',
      '.ai-assistant.json',
      '.vscode/tasks.json',
      '.husky/pre-push',
    ]) {
      expect(judge('write', target, { ...rules({ allow: ['Edit'] }), mode: 'accept-edits' }).verdict).toBe(
        'ask',
      );
      expect(judge('write', target, { mode: 'auto' }).verdict).toBe('deny');
    }
  });

  test('a command in another folder is judged where it runs', () => {
    const bash = (command: string, folder: string, policy: Partial<Policy> = {}) =>
      evaluate(
        {
          tool: 'Bash',
          accesses: [
            { kind: 'execute', target: command },
            { kind: 'read', target: folder },
          ],
          input: {},
        },
        { ...base, ...policy },
      ).verdict;

    expect(bash('ls', 'src')).toBe('allow');
    expect(bash('git status', 'src')).toBe('ask');
    expect(bash('git status', '.')).toBe('allow');
    expect(bash('rm -rf *', '/')).toBe('deny');
    expect(bash('./run.sh', 'src', grant('Bash(./run.sh)', 'execute'))).toBe('ask');
    expect(bash('./run.sh', "it's", grant("Bash(cd 'it'\\\\''s' && ./run.sh)", 'execute'))).toBe('allow');
  });
});

describe('modes', () => {
  const modes: PermissionMode[] = ['default', 'accept-edits', 'plan', 'auto', 'read-only'];
  const table: [kind: Access['kind'], target: string, verdicts: string][] = [
    ['read', 'a', 'allow allow allow allow allow'],
    ['read', '/etc/passwd', 'ask ask ask deny ask'],
    ['write', 'a', 'ask allow deny allow deny'],
    ['write', '/etc/passwd', 'ask ask deny deny deny'],
    ['execute', 'ls', 'allow allow allow allow allow'],
    ['execute', 'make', 'ask ask deny deny deny'],
    ['execute', 'echo a > b', 'ask ask deny deny deny'],
    ['execute', 'sudo ls', 'deny deny deny deny deny'],
    ['fetch', 'https://a.org', 'ask ask ask deny ask'],
    ['delegate', 'general', 'allow allow allow allow allow'],
  ];
  test.each(table)('%s %s: %s', (kind, target, verdicts) => {
    expect(modes.map((mode) => judge(kind, target, { mode }).verdict).join(' ')).toBe(verdicts);
  });

  test('plan mode refuses writes and MCP tools whatever is allowed', () => {
    const loose = { ...rules({ allow: ['Edit', 'Bash', 'mcp:*'] }), mode: 'plan' as const };
    expect(judge('write', 'a', loose).by).toBe('mode plan');
    expect(judge('execute', 'make', loose).by).toBe('mode plan');
    expect(evaluate({ tool: 'github:push', accesses: [], input: {} }, { ...base, ...loose }).by).toBe(
      'mode plan',
    );
  });

  test('[Y37] auto mode still follows allow rules, and says why it refuses', () => {
    expect(judge('execute', 'make', { mode: 'auto', ...rules({ allow: ['Bash(make)'] }) }).verdict).toBe(
      'allow',
    );
    expect(judge('execute', 'make', { mode: 'auto' })).toEqual({
      verdict: 'deny',
      because: "auto mode refuses anything it cannot sandbox: make runs the project's own build",
      by: 'mode auto',
    });
  });
});

test('adding a deny or an ask rule never loosens a verdict', () => {
  const strictness = { allow: 0, ask: 1, deny: 2 };
  const pattern = fc.constantFrom(
    'Bash',
    'Bash(ls *)',
    'Bash(make)',
    'Read',
    'Edit',
    'Edit(src/**)',
    'WebFetch',
    'Read(src)',
  );
  const access = fc.record<Access>({
    kind: fc.constantFrom('read', 'write', 'execute', 'fetch', 'delegate'),
    target: fc.constantFrom(
      'ls',
      'make',
      'ls; make',
      'src/a.ts',
      '/etc/passwd',
      'sudo ls',
      'cat src/a.ts',
      'x $(y)',
    ),
  });
  const some = fc.array(pattern, { maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(access, { minLength: 1, maxLength: 3 }),
      fc.record({ allow: some, ask: some, deny: some }),
      fc.record({ extra: pattern, list: fc.constantFrom<'ask' | 'deny'>('ask', 'deny') }),
      (accesses, before, { extra, list }) => {
        const request = { tool: 'Bash', accesses, input: {} };
        const first = evaluate(request, { ...base, rules: before });
        const second = evaluate(request, { ...base, rules: { ...before, [list]: [...before[list], extra] } });
        expect(strictness[second.verdict]).toBeGreaterThanOrEqual(strictness[first.verdict]);
      },
    ),
    { numRuns: 500 },
  );
});

describe('[Y16] subagents', () => {
  test.each([
    [{ deny: ['Task'] }, 'general', 'deny'],
    [{ deny: ['Task(tester)'] }, 'tester', 'deny'],
    [{ deny: ['Task(tester)'] }, 'general', 'allow'],
    [{ ask: ['Task'] }, 'general', 'ask'],
    [{ ask: ['Task'], allow: ['Task(general)'] }, 'general', 'ask'],
    [{ deny: ['Bash', 'Edit', 'Read'] }, 'general', 'allow'],
  ])('under %j, %s: %s', (some, agent, verdict) => {
    expect(judge('delegate', agent, rules(some)).verdict).toBe(verdict);
  });
});
