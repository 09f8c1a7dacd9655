import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainPolicy, toolsByKind } from '../../test/support/policy.ts';
import { sweep } from '../../test/support/soak.ts';
import type { Access, PermissionMode } from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { evaluate } from './evaluate.ts';
import type { Policy } from './policy.ts';
import { loadGrammar } from './shell/grammar.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const base: Policy = plainPolicy(cwd);

const strict: SandboxState = { kind: 'bubblewrap', level: 'strict', network: 'none' };
const standard: SandboxState = { kind: 'bubblewrap', level: 'standard', network: 'none' };
const listed: SandboxState = { ...standard, network: 'listed' };
const permissive: SandboxState = { kind: 'docker', level: 'permissive', network: 'open' };
const host: SandboxState = {
  kind: 'host',
  level: 'permissive',
  network: 'open',
  fallback: 'bubblewrap is not installed',
};
const modes: PermissionMode[] = ['default', 'accept-edits', 'plan', 'auto', 'read-only'];

function run(command: string, policy: Partial<Policy>, extra: Partial<Access> = {}) {
  const access: Access = { kind: 'execute', target: command, ...extra };
  return evaluate({ tool: 'Bash', accesses: [access], input: {} }, { ...base, ...policy });
}
const rules = (some: Partial<Policy['rules']>): Partial<Policy> => ({ rules: { ...base.rules, ...some } });

describe('[X01][Y30] commands that the sandbox contains run without asking', () => {
  const table: [name: string, sandbox: SandboxState | null, policy: Partial<Policy>, verdicts: string][] = [
    ['no word of a sandbox', null, {}, 'ask ask deny deny deny'],
    ['no sandbox', host, {}, 'ask ask deny deny deny'],
    ['an open network', permissive, {}, 'ask ask deny deny deny'],
    ['cannot write files', strict, {}, 'allow allow allow allow allow'],
    ['strict, but some network', { ...strict, network: 'listed' }, {}, 'ask allow deny allow deny'],
    ['the working directory can', standard, {}, 'ask allow deny allow deny'],
    ['and the user lets it', standard, { sandboxAutoApprove: true }, 'allow allow deny allow deny'],
    ['listed hosts', listed, { sandboxAutoApprove: true }, 'allow allow deny allow deny'],
    ['reading is asked about', strict, { requireApprovalForReads: true }, 'ask ask deny deny deny'],
  ];
  test.each(table)('%s', (_name, sandbox, policy, verdicts) => {
    const found = modes.map((mode) => run('make', { ...policy, mode, sandbox }).verdict);
    expect(found.join(' ')).toBe(verdicts);
  });

  test('the judgement names the sandbox', () => {
    expect(run('make', { sandbox: standard, mode: 'auto' })).toEqual({
      verdict: 'allow',
      because: 'sandboxed with bubblewrap: can write only in this folder, no network',
      by: 'sandbox bubblewrap',
    });
    expect(run('make', { sandbox: strict, mode: 'plan' }).because).toBe(
      'sandboxed with bubblewrap: cannot write files, no network',
    );
    const reads = { verdict: 'allow', because: 'only reads', by: 'default', onlyReads: true };
    expect(run('ls', { sandbox: strict })).toEqual(reads);
  });

  test("the user's deny and ask rules come first", () => {
    for (const mode of modes) {
      expect(run('sudo make', { sandbox: strict, mode }).verdict).toBe('deny');
      expect(run('make', { sandbox: strict, mode, ...rules({ deny: ['Bash(make *)'] }) }).by).toBe(
        'rule deny Bash(make *)',
      );
      expect(run('make', { sandbox: strict, mode, blockedCommands: ['make'] }).verdict).toBe('deny');
    }
    expect(run('make', { sandbox: strict, ...rules({ ask: ['Bash(make *)'] }) }).verdict).toBe('ask');
  });

  test('a file or address rule that the sandbox cannot enforce disables auto-approval', () => {
    const verdict = (sandbox: SandboxState, deny: string) =>
      run('make', { sandbox, mode: 'accept-edits', ...rules({ deny: [deny] }) }).verdict;
    expect([
      verdict(standard, 'Read(private/**)'),
      verdict(strict, 'Read(private/**)'),
      verdict(standard, 'Edit(migrations/**)'),
      verdict(strict, 'Edit(migrations/**)'),
      verdict(standard, 'WebFetch'),
      verdict(listed, 'WebFetch(domain:example.org)'),
      verdict(standard, 'Bash(git push *)'),
      verdict(standard, 'mcp:*'),
    ]).toEqual(['ask', 'ask', 'ask', 'allow', 'allow', 'ask', 'allow', 'allow']);
  });

  test('MCP tools are not sandboxed', () => {
    const policy = { ...base, sandbox: strict, mode: 'accept-edits' as const };
    expect(evaluate({ tool: 'github:push', accesses: [], input: {} }, policy).verdict).toBe('ask');
  });
});

describe('[Y30][Y37] without a sandbox', () => {
  test('auto mode runs only certainly read-only commands, and says that there is no sandbox', () => {
    expect(run('git status', { sandbox: host, mode: 'auto' }).verdict).toBe('allow');
    expect(run('make', { sandbox: host, mode: 'auto' })).toEqual({
      verdict: 'deny',
      because:
        "auto mode refuses anything it cannot sandbox: make runs the project's own build; no sandbox is available",
      by: 'mode auto',
    });
    expect(run('make', { sandbox: host, mode: 'auto', requireApprovalForCommands: false }).verdict).toBe(
      'deny',
    );
  });

  const off: SandboxState = { kind: 'host', level: 'standard', network: 'open' };
  const grant = (pattern: string): Partial<Policy> => ({
    grants: [{ type: 'execute', pattern, action: 'allow', scope: 'always', grantedAt: '2026-01-01' }],
  });
  const free: Partial<Policy> = { requireApprovalForCommands: false };
  // Each cell has the verdicts of the modes default, accept-edits, plan, auto and read-only. Headless, ask is
  // a refusal.
  test.each<
    [command: string, settings: string, policy: Partial<Policy>, missing: string, switchedOff: string]
  >([
    ['make', 'nothing', {}, 'ask ask deny deny deny', 'ask ask deny deny deny'],
    ['make', 'commands need no approval', free, 'ask ask deny deny deny', 'allow allow deny deny deny'],
    [
      'make',
      'contained ones are',
      { sandboxAutoApprove: true },
      'ask ask deny deny deny',
      'ask ask deny deny deny',
    ],
    ['make', 'Bash', rules({ allow: ['Bash'] }), 'ask ask deny deny deny', 'allow allow deny allow deny'],
    [
      'make',
      'Bash(*)',
      rules({ allow: ['Bash(*)'] }),
      'ask ask deny deny deny',
      'allow allow deny allow deny',
    ],
    [
      'make',
      'Bash(make *)',
      rules({ allow: ['Bash(make *)'] }),
      'ask ask deny deny deny',
      'allow allow deny allow deny',
    ],
    [
      'make',
      'Bash(make*)',
      rules({ allow: ['Bash(make*)'] }),
      'ask ask deny deny deny',
      'ask ask deny deny deny',
    ],
    [
      'make',
      'Bash(make)',
      rules({ allow: ['Bash(make)'] }),
      'allow allow deny allow deny',
      'allow allow deny allow deny',
    ],
    [
      'make',
      'a wide and an exact one',
      rules({ allow: ['Bash', 'Bash(make)'] }),
      'allow allow deny allow deny',
      'allow allow deny allow deny',
    ],
    [
      'make test',
      'Bash(make)',
      rules({ allow: ['Bash(make)'] }),
      'ask ask deny deny deny',
      'ask ask deny deny deny',
    ],
    [
      'make; ls',
      'Bash(make)',
      rules({ allow: ['Bash(make)'] }),
      'ask ask deny deny deny',
      'allow allow deny allow deny',
    ],
    [
      'make; ls',
      'Bash(make; ls)',
      rules({ allow: ['Bash(make; ls)'] }),
      'allow allow deny allow deny',
      'allow allow deny allow deny',
    ],
    [
      'echo a*b > x',
      'the same, escaped',
      rules({ allow: ['Bash(echo a\\*b > x)'] }),
      'allow allow deny allow deny',
      'allow allow deny allow deny',
    ],
    [
      'make',
      'a remembered yes',
      grant('Bash(make)'),
      'allow allow deny allow deny',
      'allow allow deny allow deny',
    ],
    ['make', 'a yes to another', grant('Bash(make x)'), 'ask ask deny deny deny', 'ask ask deny deny deny'],
    [
      'make',
      'all of it but exact',
      { ...free, sandboxAutoApprove: true, trusted: true, ...rules({ allow: ['Bash', 'Bash(m*)'] }) },
      'ask ask deny deny deny',
      'allow allow deny allow deny',
    ],
    ['npm test', 'trust', { trusted: true }, 'ask ask deny deny deny', 'allow allow deny allow deny'],
    [
      'npm test',
      'trust and commands are free',
      { trusted: true, ...free },
      'ask ask deny deny deny',
      'allow allow deny allow deny',
    ],
    [
      'npm test',
      'Bash(npm test)',
      rules({ allow: ['Bash(npm test)'] }),
      'allow allow deny allow deny',
      'allow allow deny allow deny',
    ],
    ['ls', 'nothing', {}, 'allow allow allow allow allow', 'allow allow allow allow allow'],
    [
      'git log | head',
      'commands need no approval',
      free,
      'allow allow allow allow allow',
      'allow allow allow allow allow',
    ],
    [
      'sudo make',
      'Bash(sudo make)',
      rules({ allow: ['Bash(sudo make)'] }),
      'deny deny deny deny deny',
      'deny deny deny deny deny',
    ],
  ])(
    '%s with %s: asks if the sandbox is unavailable, not if the user disabled it',
    (command, _settings, policy, missing, switchedOff) => {
      const verdicts = (sandbox: SandboxState) =>
        modes.map((mode) => run(command, { ...policy, sandbox, mode }).verdict).join(' ');
      expect([verdicts(host), verdicts(off)]).toEqual([missing, switchedOff]);
    },
  );

  test('the source of the approval is recorded, and a rule that is too broad is named', () => {
    expect(run('make', { sandbox: host, ...rules({ allow: ['Bash(make)'] }) }).by).toBe(
      'rule allow Bash(make) without a sandbox',
    );
    expect(run('make', { sandbox: host, ...grant('Bash(make)') }).by).toBe(
      'grant Bash(make) without a sandbox',
    );
    expect(run('make', { sandbox: off, ...rules({ allow: ['Bash(make)'] }) }).by).toBe(
      'rule allow Bash(make)',
    );
    expect(run('make', { sandbox: host, ...rules({ allow: ['Bash(make *)'] }) }).because).toBe(
      'no sandbox is available, and the rule Bash(make *) does not name this exact command',
    );
    expect(run('make', { sandbox: host, mode: 'auto', ...rules({ allow: ['Bash'] }) }).because).toBe(
      'auto mode refuses anything it cannot sandbox: no sandbox is available, and the rule Bash does not name this exact command',
    );
    expect(run('make', { sandbox: host, ...free }).because).toBe(
      "no sandbox is available, and make runs the project's own build",
    );
  });

  test('sandbox.required refuses every command and says why', () => {
    for (const command of ['ls', 'make']) {
      expect(run(command, { sandbox: host, sandboxRequired: true, ...rules({ allow: ['Bash'] }) })).toEqual({
        verdict: 'deny',
        because: 'commands must run in a sandbox, but none is available: bubblewrap is not installed',
        by: 'setting sandbox.required',
      });
    }
    expect(run('ls', { sandbox: standard, sandboxRequired: true }).verdict).toBe('allow');
    expect(run('ls', { sandbox: standard, sandboxRequired: true }, { unconfined: true }).verdict).toBe(
      'deny',
    );
  });
});

describe('a command that should run outside the sandbox', () => {
  const outside = { unconfined: true } as const;
  test('is always asked about, and refused if there is no user to ask or nothing may change', () => {
    const verdicts = (command: string, policy: Partial<Policy>) =>
      modes.map((mode) => run(command, { sandbox: strict, ...policy, mode }, outside).verdict).join(' ');
    const loose: Partial<Policy> = {
      ...rules({ allow: ['Bash', 'Bash(ls)'] }),
      requireApprovalForCommands: false,
      sandboxAutoApprove: true,
      grants: [
        { type: 'execute', pattern: 'Bash(ls)', action: 'allow', scope: 'always', grantedAt: '2026-01-01' },
      ],
    };
    for (const policy of [{}, loose]) expect(verdicts('ls', policy)).toBe('ask ask deny deny deny');
    expect(verdicts('sudo ls', loose)).toBe('deny deny deny deny deny');
  });
});

describe('a command that gets a secret the model has not seen', () => {
  test('is asked about unless the user has a rule for it: its output may reveal the secret', () => {
    const verdicts = (policy: Partial<Policy>) =>
      modes
        .map(
          (mode) => run('echo x | rev', { sandbox: strict, ...policy, mode }, { holdsSecret: true }).verdict,
        )
        .join(' ');
    expect(verdicts({ requireApprovalForCommands: false, sandboxAutoApprove: true })).toBe(
      'ask ask ask deny ask',
    );
    expect(verdicts(rules({ allow: ['Bash'] }))).toBe('allow allow allow allow allow');
  });
});

describe('invariants', () => {
  const mode = fc.constantFrom(...modes);
  const sandbox = fc.constantFrom(null, strict, standard, listed, permissive, host);
  const command = fc.constantFrom(
    'ls',
    'make',
    'git status; make',
    'echo a > b',
    'npm test',
    'cat src/a',
    'x $(y)',
  );
  const target = fc.constantFrom('a.ts', 'src/a.ts', '/etc/hosts', '.git/hooks/pre-commit', '../x');
  const access: fc.Arbitrary<Access> = fc.oneof(
    fc.record({ kind: fc.constant('execute' as const), target: command }),
    fc.record({ kind: fc.constantFrom('read' as const, 'write' as const), target }),
    fc.record({ kind: fc.constant('fetch' as const), target: fc.constant('https://a.org/x') }),
  );
  const pattern = fc.constantFrom('Bash', 'Bash(make *)', 'Edit', 'Edit(src/**)', 'Read', 'WebFetch');
  const some = fc.array(pattern, { maxLength: 3 });
  const policies: fc.Arbitrary<Policy> = fc
    .record({
      mode,
      sandbox,
      rules: fc.record({ allow: some, ask: some, deny: some }),
      sandboxAutoApprove: fc.boolean(),
      requireApprovalForWrites: fc.boolean(),
      requireApprovalForCommands: fc.boolean(),
      trusted: fc.boolean(),
    })
    .map((policy) => ({ ...base, ...policy }));
  const tools = { ...toolsByKind, write: 'Write' };
  const whole = toolsByKind;

  test('if the wanted sandbox is missing, only read-only commands and those the user named exactly run without asking', () => {
    fc.assert(
      fc.property(policies, command, (policy, target) => {
        const bare = { ...policy, sandbox: host };
        const call = { tool: 'Bash', accesses: [{ kind: 'execute' as const, target }], input: {} };
        const none = { allow: [], ask: [], deny: [] };
        if (evaluate(call, bare).verdict === 'allow')
          expect(evaluate(call, { ...bare, rules: none }).because).toBe('only reads');
        const exact = { ...bare.rules, ask: [], deny: [], allow: [`Bash(${target})`] };
        const mode = bare.mode === 'plan' || bare.mode === 'read-only' ? 'default' : bare.mode;
        expect(evaluate(call, { ...bare, mode, rules: exact }).verdict).toBe('allow');
      }),
    );
  });

  sweep([100, 500])('a deny rule is never overridden (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(policies, access, (policy, touched) => {
        const denied = { ...policy, rules: { ...policy.rules, deny: [whole[touched.kind]] } };
        const call = { tool: tools[touched.kind], accesses: [touched], input: {} };
        expect(evaluate(call, denied).verdict).toBe('deny');
      }),
      { numRuns },
    );
  });

  sweep([100, 500])('[P12] plan and read-only mode allow no writes (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(policies, fc.array(access, { minLength: 1, maxLength: 3 }), (policy, accesses) => {
        for (const quiet of ['plan', 'read-only'] as const) {
          const { verdict } = evaluate({ tool: 'Bash', accesses, input: {} }, { ...policy, mode: quiet });
          if (accesses.some(({ kind }) => kind === 'write')) expect(verdict).toBe('deny');
          const writes = accesses.some(({ target }) => /make|> b|npm|\$/.test(target));
          if (writes && policy.sandbox !== strict) expect(verdict).toBe('deny');
        }
      }),
      { numRuns },
    );
  });

  test('[Y37] auto mode never asks', () => {
    fc.assert(
      fc.property(policies, access, (policy, touched) => {
        const call = { tool: tools[touched.kind], accesses: [touched], input: {} };
        expect(evaluate(call, { ...policy, mode: 'auto' }).verdict).not.toBe('ask');
      }),
    );
  });
});
