import { beforeAll, describe, expect, test } from 'vitest';
import type {
  Access,
  CallLimits,
  HookDecision,
  PermissionMode,
  PromptRules,
  Verdict,
} from '../contract/permission.ts';
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

describe('the rules of a skill or command', () => {
  const every = ['Bash', 'Read', 'Edit', 'WebFetch', 'mcp:*', 'Task', 'TodoWrite'];
  const judged = (
    name: string,
    rules: Partial<PromptRules>,
    over: Partial<Policy>,
    more: Partial<Access> = {},
  ) => {
    const [tool, access] = calls[name] ?? ['', null];
    const accesses = access ? [{ ...access, ...more }] : [];
    const own = { by: 'skill a', allow: [], deny: [], ...rules };
    return evaluate({ tool, accesses, input: {}, rules: [own] }, { ...policy, ...over });
  };
  const modes: PermissionMode[] = ['default', 'accept-edits', 'plan', 'read-only', 'auto'];
  const none = { allow: [], ask: [], deny: [] };
  const overs: Partial<Policy>[] = [
    {},
    { sandbox: fallback },
    { sandbox: fallback, sandboxRequired: true },
    { sandboxAutoApprove: true },
    { blockedCommands: ['make'] },
    { neverAsk: true },
    { rules: { ...none, ask: ['Edit', 'Bash'] } },
    { rules: { ...none, deny: ['Edit', 'WebFetch', 'mcp:github'] } },
    { reach: (real) => ({ type: 'outside', real, isFolder: false, because: 'outside' }) },
  ];
  const cases = modes.flatMap((mode) => overs.map((over) => ({ ...over, mode })));

  test('allow no more than the same rules in the settings would, and change no other verdict', () => {
    let allowed = 0;
    for (const over of cases)
      for (const name of Object.keys(calls))
        for (const more of [{}, { holdsSecret: true as const }]) {
          const without = judged(name, {}, over, more).verdict;
          const { verdict: found, by } = judged(name, { allow: every }, over, more);
          const rules = { ...none, ...over.rules, allow: every };
          const inSettings = judged(name, {}, { ...over, rules }, more).verdict;
          const expected = found === 'allow' && without !== 'allow' ? inSettings : without;
          expect([over, name, more, found]).toEqual([over, name, more, expected]);
          if (found === 'allow' && without !== 'allow') {
            allowed++;
            expect(by).toMatch(/^skill a allow /);
            // A command with a secret, or without the sandbox that was wanted, is up to the user.
            if (name === 'runs') expect([more, over.sandbox]).toEqual([{}, undefined]);
          }
        }
    expect(allowed).toBeGreaterThan(10);
  });

  test('forbid what they name, whatever else allows it', () => {
    for (const over of [...cases, { rules: { ...none, allow: every } }])
      for (const name of Object.keys(calls))
        expect([name, judged(name, { allow: every, deny: [...every, 'Todo'] }, over).verdict]).toEqual([
          name,
          'deny',
        ]);
    expect(judged('runs', { deny: ['Bash(make:*)'] }, {})).toMatchObject({
      by: 'skill a deny Bash(make:*)',
      because: 'denied by the skill a: Bash(make:*)',
    });
    expect(judged('lists', { deny: ['Bash(make:*)'] }, {}).verdict).toBe('allow');
  });

  test('count together with those of the user and of other skills, each for its part of a line', () => {
    const line = {
      tool: 'Bash',
      accesses: [{ kind: 'execute' as const, target: 'make a && touch b && rm c' }],
      input: {},
    };
    const skill = (by: string, rule: string): PromptRules => ({ by, allow: [rule], deny: [] });
    const rules = [skill('skill a', 'Bash(touch:*)'), skill('skill b', 'Bash(rm:*)')];
    const own = { ...policy, rules: { ...none, allow: ['Bash(make *)'] } };
    expect(evaluate({ ...line, rules }, own)).toMatchObject({
      verdict: 'allow',
      by: expect.stringMatching(/^skill b/),
    });
    expect(evaluate({ ...line, rules: rules.slice(1) }, own).verdict).toBe('ask');
    expect(evaluate({ ...line, rules }, policy).verdict).toBe('ask');
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
