import { describe, expect, test } from 'vitest';
import { keyOf, keys, typedKeys } from '../../../../test/support/keys.ts';
import { showTo } from '../../../../test/support/mounted-dialog.ts';
import { dispatch } from '../../../commands/dispatch.ts';
import { builtinCommands } from '../../../commands/index.ts';
import { themes } from '../../../config/schema/schema.ts';
import type { CommandContext, Memory, PendingUndo, RememberedNote } from '../../../contract/command.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/message.ts';
import type { Permission } from '../../../contract/permission.ts';
import type { SessionSummary } from '../../../contract/session.ts';
import { themeNames, themeOf } from '../theme/theme.ts';
import type { Key } from '../view/types.ts';
import { withDialogs } from './commands.ts';
import type { Pickers } from './pickers.ts';

const at = '2026-01-02T03:04:05.000Z';

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: at };
}

function summary(id: string, firstPrompt: string, workingDirectory = '/p'): SessionSummary {
  const facts = { startedAt: at, updatedAt: at, messageCount: 2, bytes: 10, costUsd: null };
  return { id, firstPrompt, workingDirectory, ...facts };
}

/** A conversation that records every action, with a user who presses the given keys. */
function stage(script: readonly (readonly Key[])[]) {
  const told: string[] = [];
  const notes: RememberedNote[] = [
    { kind: 'user', text: 'I like tabs', date: null, pinned: false },
    { kind: 'learnings', text: 'tests need a build', date: '2026-01-01', pinned: true },
  ];
  const grants: Permission[] = [
    { type: 'execute', pattern: 'Bash(ls *)', action: 'allow', scope: 'session', grantedAt: at },
  ];
  const pending: PendingUndo = {
    files: [{ path: '/p/a.ts', change: 'restore', added: 1, removed: 2 }],
    uncertain: [],
    conflicts: [{ path: '/p/b.ts', because: 'it was changed later' }],
    apply: async () => {
      told.push('applied');
      return { restored: ['/p/a.ts'], removed: [], kept: [] };
    },
  };
  const memory: Memory = {
    folder: '/notes',
    list: () => notes,
    remember: async () => null,
    learn: async () => null,
    noteChecks: async () => undefined,
    edit: async (note, text) => {
      note.text = text;
      return null;
    },
    forget: async (note) => {
      notes.splice(notes.indexOf(note), 1);
      return null;
    },
    pin: async (note, pinned) => {
      note.pinned = pinned;
      return null;
    },
    suggestions: async () => [],
  };
  const server = {
    name: 'notes',
    phase: 'ready',
    transport: 'stdio',
    address: 'notes-server',
    tools: [{ name: 'add', description: 'Adds a note' }],
    resources: [],
    prompts: [],
    log: [],
  };
  const messages = [said('first thing'), said('second thing')];
  let mode: ReturnType<CommandContext['mode']['get']> = 'default';
  const context = {
    commands: [],
    cwd: '/p',
    print: (text: string) => void told.push(text),
    ask: async () => null,
    confirm: async () => false,
    files: {
      runs: async () => [{ at, paths: ['/p/a.ts'] }],
      undo: async () => pending,
      redo: async () => null,
    },
    sessions: {
      session: { id: 'me', messages },
      ready: Promise.resolve(),
      list: () => [summary('me', 'here'), summary('far', 'elsewhere', '/other'), summary('other', 'fix it')],
      goTo: async (id: string) => void told.push(`go to ${id}`),
      rewind: async (keep: number) => void messages.splice(keep),
    },
    mode: {
      get: () => mode,
      set(next: typeof mode) {
        mode = next;
      },
      onChange: () => () => undefined,
    },
    permissions: {
      rules: () => [{ verdict: 'deny', pattern: 'Read(.env)' }],
      addedRules: () => [],
      promptRules: () => [],
      addRule: async () => [],
      grants: () => grants,
      denials: () => [],
      forgetGrant: async (grant: Permission) => void grants.splice(grants.indexOf(grant), 1),
      forgetDenial: () => undefined,
    },
    memory,
    mcp: {
      list: () => [server],
      restart: async (name: string) => void told.push(`restart ${name}`),
      login: async (name: string, show: (url: string) => void) => show(`https://${name}.example/login`),
    },
    // Only what these commands use.
  } as unknown as CommandContext;
  const { show, screens, shown } = showTo(script);
  const desk: Pickers = {
    show,
    draw: (lines) => {
      const place = { columns: 60, theme: themeOf('dark', 'none') };
      told.push(
        lines(place)
          .map((line) => line.map(({ text }) => text).join(''))
          .join('\n'),
      );
    },
    sessions: { glimpse: async (id) => `where ${id} stood`, search: async () => [] },
    accounts: { provider: () => 'a', list: async () => [], use: async () => undefined },
    models: {
      current: () => 'a/one',
      list: async () => [
        { vendor: 'Able', models: [{ name: 'a/one', label: 'one', detail: '1M context' }] },
        { vendor: 'Baker', models: [{ name: 'b/two', label: 'two', detail: '200k context' }] },
        {
          vendor: 'Closed',
          models: [{ name: 'c/three', label: 'three', detail: '8k context' }],
          missing: { short: 'no key: aca keys set c', next: 'Run aca keys set c.' },
        },
      ],
      use: async (name) => void told.push(`use ${name}`),
    },
    themes: {
      current: () => 'auto',
      names: themeNames,
      wear: (name) => void told.push(`wear ${name}`),
      keep: async (name) => void told.push(`keep ${name}`),
    },
    draft: (text) => void told.push(`draft ${text}`),
    send: (text) => void told.push(`send ${text}`),
  };
  const commands = withDialogs(builtinCommands, desk);
  const obey = (line: string) => dispatch(line, { ...context, commands });
  return { obey, told, screens, shown, notes, grants, messages, commands, mode: () => mode };
}

test('with arguments a command works as everywhere, without a dialog', async () => {
  const { obey, told, shown, mode } = stage([]);
  await obey('/mode plan');
  await obey('/resume other');
  await obey('/model b/two');
  expect([shown(), mode(), told.slice(1)]).toEqual([0, 'plan', ['go to other', 'use b/two']]);
});

test('sessions of this folder come first, and the selected one is opened', async () => {
  const { obey, told, screens } = stage([[...typedKeys('fix'), keys.return]]);
  await obey('/resume');
  expect(screens[0]?.slice(2, 5).map((row) => row.slice(0, 12).trim())).toEqual([
    '❯* here',
    'fix it',
    'elsewhere',
  ]);
  expect(screens[0]).toContain('where me stood');
  expect(told).toEqual(['go to other']);
});

test('servers are listed with what they offer; one is restarted, or logged in to', async () => {
  const { obey, told, screens } = stage([[keys.return], typedKeys('l')]);
  await obey('/mcp');
  expect(screens[0]?.join('\n')).toContain('1 tools, 0 resources, 0 prompts');
  expect(screens[0]?.join('\n')).toContain('notes:add  Adds a note');
  expect(told).toEqual(['restart notes', 'Log in here: https://notes.example/login']);
});

describe('undo', () => {
  test('shows which files would change, and changes them only after a yes', async () => {
    const { obey, told, screens } = stage([[...typedKeys('y'), keys.return]]);
    await obey('/undo');
    expect(screens[0]?.slice(1, -1).map((row) => row.slice(2, -2).trimEnd())).toEqual([
      'Undo this?',
      '  restore a.ts  +1 -2',
      '! skipped: b.ts: it was changed later',
      '',
      '  1. Yes',
      '  2. No',
      '↑↓ or 1-2 select   enter answer   esc no',
    ]);
    expect(told).toEqual(['applied', 'restored a.ts']);
  });

  test.each([
    ['n', [...typedKeys('n'), keys.return]],
    ['Esc', [keys.escape]],
    ['Ctrl-C', [keyOf('c', { ctrl: true })]],
  ])('%s changes nothing', async (_, pressed) => {
    const { obey, told } = stage([pressed]);
    await obey('/undo');
    expect(told).toEqual(['Nothing was changed.']);
  });
});

describe('rewind', () => {
  test('the last prompt is offered first; files are restored after a preview, and the prompt can be sent again', async () => {
    const { obey, told, screens, messages } = stage([
      [keys.return],
      [keys.return],
      [...typedKeys('y'), keys.return],
    ]);
    await obey('/rewind');
    expect(screens[0]?.[2]).toMatch(/^❯ {2}second thing .*1 file changed since$/);
    expect(messages).toEqual([said('first thing')]);
    expect([told[0], told.at(-1)]).toEqual(['applied', 'draft second thing']);
  });

  test('declining the file changes leaves the conversation unchanged', async () => {
    const { obey, messages, told } = stage([[keys.return], [keys.return], [...typedKeys('n'), keys.return]]);
    await obey('/rewind');
    expect([messages.length, told]).toEqual([2, ['Nothing was changed.']]);
  });

  test('closing a list does nothing', async () => {
    const first = stage([[keys.escape]]);
    await first.obey('/rewind');
    const second = stage([[keys.return], [keys.escape]]);
    await second.obey('/rewind');
    expect([first.told, second.told]).toEqual([[], []]);
  });
});

test('notes are edited, pinned and deleted one after another', async () => {
  const change = [keyOf('u', { ctrl: true }), ...typedKeys('I like spaces'), keys.return];
  const { obey, notes, screens } = stage([
    [keys.return],
    change,
    [keys.down, ...typedKeys('p')],
    [keys.down, ...typedKeys('f')],
    [keys.escape],
  ]);
  await obey('/memory');
  expect(notes).toEqual([{ kind: 'user', text: 'I like spaces', date: null, pinned: false }]);
  expect(screens.map(([title]) => title)).toEqual([
    'Memory',
    'Edit this memory',
    'Memory · Changed.',
    'Memory · No longer pinned.',
    'Memory · Forgotten.',
  ]);
});

test('[Y09] a rule can be added and an answer removed; a rule from the settings cannot', async () => {
  const { obey, grants, screens } = stage([
    [keys.down, keys.return],
    [keys.down, keys.return],
    [keys.return],
    [...typedKeys('deny Read(private/**)'), keys.return],
    [keys.escape],
  ]);
  await obey('/permissions');
  expect(grants).toEqual([]);
  expect(screens.map(([title]) => title)).toEqual([
    'Permissions · default mode',
    'Permissions · removed: allow Bash(ls *) (this session)',
    'Permissions · edit the rules of your settings in the file (aca config path)',
    expect.stringMatching(/^Rule for this session/),
    'Permissions · Added for this session: deny Read(private/**)',
  ]);
});

describe('models', () => {
  test('they are listed by vendor; vendors without a key have one row each', async () => {
    const { obey, told, screens } = stage([[keys.down, keys.return]]);
    await obey('/model');
    expect(screens[0]?.slice(2, -1)).toEqual([
      'Able',
      '❯* one  1M context',
      'Baker',
      '   two  200k context',
      'No key yet',
      '   Closed (no key: aca keys set c)',
    ]);
    expect(told).toEqual(['use b/two']);
  });

  test('a model without a key is found by its name, and the answer is how to get one', async () => {
    const { obey } = stage([[...typedKeys('three'), keys.return]]);
    await expect(obey('/model')).rejects.toEqual(
      new UserError('There is no key for Closed.', 'Run aca keys set c.'),
    );
  });
});

test('/help lists the commands by group with hanging indents', async () => {
  const { obey, told } = stage([]);
  await obey('/help');
  const rows = told[0]?.split('\n') ?? [];
  expect(rows.filter((row) => /^\S/.test(row))).toEqual([
    'Conversation',
    'Changes',
    'Model',
    'Project',
    'Safety',
    'Setup',
    '? for keys · @ mentions a file · !command runs in your shell',
  ]);
  expect(rows).toContain('  /theme         Select a color theme, with a preview;');
  expect(rows).toContain('                 /theme dark');
});

describe('themes', () => {
  test('the selected one is applied immediately, and saved by Enter', async () => {
    const { obey, told } = stage([[keys.down, keys.return]]);
    await obey('/theme');
    expect(told).toEqual(['wear auto', 'wear dark', 'keep dark', 'Theme set to dark.']);
  });

  test('closing the list restores the previous one', async () => {
    const { obey, told } = stage([[keys.escape]]);
    await obey('/theme');
    expect(told).toEqual(['wear auto', 'wear auto']);
  });

  test('a name is used if there is such a theme', async () => {
    const { obey, told } = stage([]);
    await obey('/theme moss');
    await obey('/theme mos');
    expect(told).toEqual([
      'wear moss',
      'keep moss',
      'Theme set to moss.',
      'There is no theme mos. Did you mean moss? /theme lists them.',
    ]);
  });

  test('every theme can be saved in the settings', () => {
    expect(new Set(themes)).toEqual(new Set(['auto', ...themeNames]));
  });
});
