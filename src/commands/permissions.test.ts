import { expect, test } from 'vitest';
import { plainWindow } from '../../test/support/context-window.ts';
import type { CommandContext, PermissionRule, SessionActions } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';
import type { Permission, PermissionMode } from '../contract/permission.ts';
import { dispatch } from './dispatch.ts';
import { builtinCommands } from './index.ts';

const nothing = async () => '';
const noSessions: SessionActions = {
  session: {
    id: '',
    workingDirectory: '',
    startedAt: '',
    messages: [],
    permissions: [],
    settings: { model: '' },
  },
  ready: Promise.resolve(),
  list: () => [],
  rename: async () => undefined,
  rewind: async () => undefined,
  fork: nothing,
  begin: async () => undefined,
  goTo: async () => undefined,
  exportTo: nothing,
};

/** A conversation that only stores its answers. */
function setUp() {
  const printed: string[] = [];
  let current: PermissionMode = 'default';
  let grants: Permission[] = (['session', 'always'] as const).map((scope) => ({
    type: 'execute',
    pattern: `Bash(make ${scope})`,
    action: 'allow',
    scope,
    grantedAt: '2026-01-01',
  }));
  let added: PermissionRule[] = [];
  let denials = [{ key: 'k', operation: 'Bash rm', because: 'User denied permission' }];
  const context: CommandContext = {
    commands: builtinCommands,
    print: (text) => printed.push(text),
    signal: new AbortController().signal,
    cwd: '/project',
    ask: async () => null,
    confirm: async () => false,
    files: {
      runs: async () => [],
      undo: async () => null,
      redo: async () => null,
      changes: async () => ({
        files: [],
        revert: async () => ({ restored: [], removed: [], kept: [] }),
        accept: async () => undefined,
        original: () => null,
      }),
    },
    sessions: noSessions,
    prompts: () => [],
    spending: { costs: async () => [], limits: async () => [], setLimits: () => undefined },
    window: plainWindow(),
    mode: {
      get: () => current,
      set: (mode) => {
        current = mode;
      },
      onChange: () => () => undefined,
    },
    permissions: {
      trust: () => null,
      rules: () => [{ verdict: 'deny', pattern: 'Bash(git push *)' }],
      addedRules: () => added,
      promptRules: () => [{ by: 'skill commit', allow: ['Bash(git add:*)'], deny: ['WebFetch'] }],
      addRule: async (rule) => {
        if (!rule.pattern.endsWith(')')) throw new UserError('No rule.', 'Close it.');
        added = [...added, rule];
        return rule.pattern === 'Bash(*)' ? ['Broad.'] : [];
      },
      removeRule: async (rule) => {
        added = added.filter((one) => one !== rule);
      },
      grants: () => grants,
      denials: () => denials,
      forgetGrant: async (grant) => {
        grants = grants.filter((one) => one !== grant);
      },
      forgetDenial: (key) => {
        denials = denials.filter((one) => one.key !== key);
      },
    },
    submit: async () => undefined,
    quit: () => undefined,
  };
  const type = async (line: string) => {
    printed.length = 0;
    await dispatch(line, context);
    return printed.join('\n');
  };
  return { type, mode: () => current };
}

test('[Y09] /permissions lists rules and answers, and removes one or all', async () => {
  const { type } = setUp();
  expect(await type('/permissions')).toBe(
    [
      'Mode: default',
      'Rules in your settings:',
      '  deny  Bash(git push *)',
      'Until this run ends:',
      '  allow Bash(git add:*) (skill commit)',
      '  deny WebFetch (skill commit)',
      'Rules of this session and remembered answers:',
      '  1. allow Bash(make session) (this session)',
      '  2. allow Bash(make always) (always, in this folder)',
      '  3. deny Bash rm (User denied permission; this session)',
    ].join('\n'),
  );
  for (const which of ['0', '-1', 'x', '1.5', '01'])
    expect(await type(`/permissions forget ${which}`)).toContain('no entry');
  expect(await type('/permissions forget 2')).toBe(
    'removed: allow Bash(make always) (always, in this folder)',
  );
  expect(await type('/permissions forget 9')).toBe('There is no entry 9. See /permissions.');
  expect(await type('/permissions forget all')).toBe(
    'removed: allow Bash(make session) (this session)\nremoved: deny Bash rm (User denied permission; this session)',
  );
  expect(await type('/permissions')).toContain('No remembered answers.');
  expect(await type('/permissions drop')).toContain('/permissions forget');
});

test('/permissions adds rules for the session, and removes them again', async () => {
  const { type } = setUp();
  expect(await type("/permissions allow 'Bash(npm run *)'")).toBe(
    'Added for this session: allow Bash(npm run *)',
  );
  expect(await type('/permissions DENY Read(my notes/**)')).toBe(
    'Added for this session: deny Read(my notes/**)',
  );
  expect(await type('/permissions allow Bash(*)')).toBe('Added for this session: allow Bash(*)\nBroad.');
  expect(await type('/permissions ask Bash(')).toBe('No rule. Close it.');
  expect(await type('/permissions allow')).toContain('/permissions allow, ask, deny or trust with a rule');
  expect(await type('/permissions')).toContain(
    '  1. allow Bash(npm run *) (rule, this session)\n  2. deny Read(my notes/**) (rule, this session)\n',
  );
  expect(await type('/permissions forget 2')).toBe('removed: deny Read(my notes/**) (rule, this session)');
  expect(await type('/permissions')).toContain('  2. allow Bash(*) (rule, this session)\n');
});

test('/mode shows the modes and switches', async () => {
  const { type, mode } = setUp();
  expect(await type('/mode')).toContain('* default ');
  expect(await type('/mode Plan')).toMatch(/^Mode: plan \(no files are changed/);
  expect(mode()).toBe('plan');
  expect(await type('/mode plam')).toBe('There is no mode plam. Did you mean plan? /mode lists them.');
  expect(mode()).toBe('plan');
});
