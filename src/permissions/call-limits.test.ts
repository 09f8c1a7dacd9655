import { beforeAll, describe, expect, test } from 'vitest';
import type { Access, CallLimits, HookDecision, PermissionMode, Verdict } from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { evaluate } from './evaluate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const bubblewrap: SandboxState = { kind: 'bubblewrap', level: 'standard', network: 'none' };
const fallback: SandboxState = { kind: 'host', level: 'standard', network: 'open', fallback: 'none found' };
const policy: Policy = {
  mode: 'default',
  cwd: '/srv/app',
  rules: { allow: [], ask: [], deny: [] },
  grants: [],
  requireApprovalForWrites: true,
  requireApprovalForCommands: true,
  blockedCommands: [],
  trusted: false,
  sandbox: bubblewrap,
  sandboxRequired: false,
  sandboxAutoApprove: false,
  isInside: () => true,
  realOf: (file) => file,
  reach: (real) => (real.endsWith('.env') ? { type: 'closed', because: 'secret' } : { type: 'open', real }),
};

type Call = [tool: string, access: Access | null];
const calls: Record<string, Call> = {
  reads: ['Read', { kind: 'read', target: 'a.ts' }],
  writes: ['Write', { kind: 'write', target: 'a.ts' }],
  lists: ['Bash', { kind: 'execute', target: 'ls' }],
  runs: ['Bash', { kind: 'execute', target: 'make' }],
  destroys: ['Bash', { kind: 'execute', target: 'rm -rf /' }],
  leaves: ['Bash', { kind: 'execute', target: 'make', unconfined: true }],
  fetches: ['WebFetch', { kind: 'fetch', target: 'https://a.org' }],
  delegates: ['Task', { kind: 'delegate', target: 'general' }],
  server: ['github:list', { kind: 'execute', target: 'x' }],
  unseen: ['github:new', { kind: 'execute', target: 'x', unseen: 'new tool' }],
  secret: ['Read', { kind: 'read', target: '.env' }],
  todo: ['Todo', null],
};

function verdict(name: string, hook: HookDecision['verdict'] | null, over: Partial<Policy> = {}): Verdict {
  const [tool, access] = calls[name] ?? ['', null];
  const decision = hook && { hook: { verdict: hook, because: 'so' } };
  const request = { tool, accesses: access ? [access] : [], input: {}, ...decision };
  return evaluate(request, { ...policy, ...over }).verdict;
}

describe('a hook that asks', () => {
  const modes: PermissionMode[] = ['default', 'accept-edits', 'plan', 'read-only', 'auto'];
  test.each(modes)('is never a yes in %s mode, whatever else allows the call', (mode) => {
    for (const name of Object.keys(calls)) {
      const rules = { allow: ['Bash', 'Read', 'Edit', 'WebFetch', 'mcp:*', 'Task'], ask: [], deny: [] };
      for (const over of [{ mode }, { mode, rules }, { mode, sandboxAutoApprove: true }]) {
        const without = verdict(name, null, over);
        const expected = without === 'deny' || mode === 'auto' ? 'deny' : 'ask';
        expect([name, verdict(name, 'ask', over)]).toEqual([name, expected]);
      }
    }
  });
});

describe('a hook that allows', () => {
  test('replaces the question, and no refusal', () => {
    const found = Object.keys(calls).map((name) => [name, verdict(name, null), verdict(name, 'allow')]);
    expect(found).toEqual([
      ['reads', 'allow', 'allow'],
      ['writes', 'ask', 'allow'],
      ['lists', 'allow', 'allow'],
      ['runs', 'ask', 'allow'],
      ['destroys', 'deny', 'deny'],
      ['leaves', 'ask', 'ask'],
      ['fetches', 'ask', 'allow'],
      ['delegates', 'allow', 'allow'],
      ['server', 'ask', 'allow'],
      ['unseen', 'ask', 'ask'],
      ['secret', 'deny', 'deny'],
      ['todo', 'allow', 'allow'],
    ]);
  });

  const held: [what: string, name: string, over: Partial<Policy>, verdict: Verdict][] = [
    ['a deny rule', 'writes', { rules: { allow: [], ask: [], deny: ['Edit'] } }, 'deny'],
    ['a deny rule for a command', 'runs', { rules: { allow: [], ask: [], deny: ['Bash(make:*)'] } }, 'deny'],
    ['an ask rule', 'writes', { rules: { allow: [], ask: ['Edit'], deny: [] } }, 'ask'],
    [
      'a deny rule for a tool that touches nothing',
      'todo',
      { rules: { allow: [], ask: [], deny: ['TodoWrite'] } },
      'deny',
    ],
    ['plan mode', 'writes', { mode: 'plan' }, 'deny'],
    ['read-only mode', 'runs', { mode: 'read-only' }, 'deny'],
    ['a blocked command', 'runs', { blockedCommands: ['make'] }, 'deny'],
    ['a required sandbox', 'runs', { sandbox: fallback, sandboxRequired: true }, 'deny'],
    ['a sandbox that is missing', 'runs', { sandbox: fallback }, 'ask'],
  ];
  test.each(held)('does not override %s', (_, name, over, expected) => {
    expect(verdict(name, 'allow', over)).toBe(expected);
  });
});

describe('the limits of a subagent', () => {
  const modes: PermissionMode[] = ['read-only', 'plan', 'default', 'accept-edits', 'auto'];
  const judged = (name: string, limits: CallLimits | undefined, over: Partial<Policy>) => {
    const [tool, access] = calls[name] ?? ['', null];
    const request = { tool, accesses: access ? [access] : [], input: {}, ...(limits && { limits }) };
    return evaluate(request, { ...policy, ...over }).verdict;
  };

  test('its mode applies where it is stricter than that of the session, and never widens it', () => {
    for (const name of Object.keys(calls))
      for (const [own, mode] of modes.flatMap((first) => modes.map((second) => [first, second] as const))) {
        const stricter = modes[Math.min(modes.indexOf(own), modes.indexOf(mode))] ?? mode;
        expect([name, own, mode, judged(name, { mode: own }, { mode })]).toEqual([
          name,
          own,
          mode,
          judged(name, undefined, { mode: stricter }),
        ]);
      }
  });

  test('its own deny rules apply beside those of the session, whatever the session allows', () => {
    const rules = { allow: ['Bash', 'Edit'], ask: [], deny: ['WebFetch'] };
    const limits = { deny: ['Bash(make:*)'] };
    expect(['runs', 'lists', 'writes', 'fetches'].map((name) => judged(name, limits, { rules }))).toEqual([
      'deny',
      'allow',
      'allow',
      'deny',
    ]);
  });

  const uses: [only: string[][], name: string, expected: Verdict][] = [
    [[['Bash(make:*)']], 'runs', 'ask'],
    [[['Bash(git *)']], 'runs', 'deny'],
    [[['Bash(git *)', 'Bash(make)']], 'runs', 'ask'],
    [[['Bash(git *)'], ['Bash(make)']], 'runs', 'deny'],
    [[['Bash(make)'], []], 'runs', 'ask'],
    [[['Bash(git *)']], 'lists', 'deny'],
    [[['Bash(git *)']], 'reads', 'allow'],
    [[['Read(docs/**)']], 'reads', 'deny'],
    [[['Read(*.ts)']], 'reads', 'allow'],
    [[['Write(docs/**)']], 'writes', 'deny'],
    [[['WebFetch(domain:a.org)']], 'fetches', 'ask'],
    [[['WebFetch(domain:b.org)']], 'fetches', 'deny'],
    [[['Task(other)']], 'delegates', 'deny'],
    [[['Task(general)']], 'delegates', 'allow'],
  ];
  test.each(uses)('of a tool with rules %j, %s is: %s', (only, name, expected) => {
    expect(judged(name, { only }, {})).toBe(expected);
    const rules = { allow: ['Bash', 'Edit', 'Read'], ask: [], deny: [] };
    if (expected === 'deny') expect(judged(name, { only }, { rules, mode: 'accept-edits' })).toBe('deny');
  });

  test('of the tool Skill, only the skills in its rules can be used', () => {
    const skill = (name: string) =>
      evaluate({ tool: 'Skill', accesses: [], input: { name }, limits: { only: [['Skill(pdf)']] } }, policy);
    expect([skill('pdf'), skill('docx')].map(({ verdict }) => verdict)).toEqual(['allow', 'deny']);
  });

  test('one that may not ask is refused what would be asked; so is every call with neverAsk', () => {
    for (const name of Object.keys(calls)) {
      const usual = judged(name, undefined, {});
      expect(judged(name, { neverAsks: true }, {})).toBe(usual === 'ask' ? 'deny' : usual);
      expect(judged(name, undefined, { neverAsk: true })).toBe(usual === 'ask' ? 'deny' : usual);
    }
  });
});
