import { afterEach, describe, expect, test } from 'vitest';
import { keys, typedKeys } from '../../../../test/support/keys.ts';
import { MountedDialog } from '../../../../test/support/mounted-dialog.ts';
import type { PermissionRequest } from '../../../contract/permission.ts';
import type { Dialog } from '../view/dialog.ts';
import { askDialog } from './ask-dialog.ts';
import { permissionDialog } from './permission-dialog.ts';
import { pickerDialog } from './picker.ts';
import { questionDialog } from './question-dialog.ts';
import { textDialog } from './text-dialog.ts';

const request: PermissionRequest = {
  callId: 'c',
  tool: 'Edit',
  operation: 'Edit a.ts',
  accesses: [{ kind: 'write', target: 'a.ts' }],
  because: 'edits are asked about',
  preview: {
    kind: 'diff',
    path: 'a.ts',
    patch: '--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-x\u200b\n+y\n',
    added: 1,
    removed: 1,
  },
};

/** A loaded machine renders late. */
const SETTLING = { timeout: 10_000 };

const open = new Set<{ close(): void }>();

afterEach(() => {
  for (const one of open) one.close();
  open.clear();
});

function mount<Result>(dialog: Dialog<Result>, room = { columns: 64, rows: 14 }) {
  const mounted = new MountedDialog(dialog, room);
  open.add(mounted);
  return mounted;
}

/** Counts how often `accept-edits` mode was switched on. */
function answering() {
  const switches: true[] = [];
  return { switches, acceptEdits: () => void switches.push(true) };
}

describe('the permission dialog', () => {
  test('shows the change and how to answer', async () => {
    const dialog = mount(permissionDialog(request, answering()));
    const screen = await dialog.screen();
    expect(screen[1]).toBe(`│ Edit a.ts?${' '.repeat(50)} │`);
    expect(screen.join('\n')).toContain('x<U+200B>');
    expect(screen.slice(-4, -1).map((row) => row.slice(2, -2).trim())).toEqual([
      '❯ 1. Yes',
      '2. No, and tell it what to do',
      '↑↓ or 1-2 select   enter answer   esc to interrupt',
    ]);
    dialog.press(...typedKeys('y'), keys.return);
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
  });

  test('approves nothing whose end was not drawn, however fast the keys are', async () => {
    const lines = Array.from({ length: 50 }, (_, i) => `echo step ${i}`);
    const preview = { kind: 'text' as const, text: [...lines, 'rm -rf precious'].join('\n') };
    const dialog = mount(permissionDialog({ ...request, preview }, answering()));
    expect((await dialog.screen()).join('\n')).not.toContain('rm -rf precious');
    // All at once: the end is scrolled to, but not drawn yet.
    dialog.press(keys.end, keys.return);
    await expect.poll(async () => (await dialog.screen()).join('\n'), SETTLING).toContain('rm -rf precious');
    expect((await dialog.screen()).join('\n')).toContain('Scroll to the end first (end)');
    dialog.press(keys.return);
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
  });

  test('switches to accept edits with the row that says so, and only if its end was visible', async () => {
    const shiftTab = { type: 'key', name: 'tab', text: '', ctrl: false, alt: false, shift: true } as const;
    const text = Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n');
    const long = { ...request, acceptEdits: true as const, preview: { kind: 'text' as const, text } };
    const { switches, ...kit } = answering();
    const dialog = mount(permissionDialog(long, kit));
    await dialog.screen();
    dialog.press(shiftTab, keys.return);
    expect((await dialog.screen()).join('\n')).toContain('Scroll to the end first (end)');
    expect(switches).toEqual([]);
    dialog.press(keys.end);
    await dialog.screen();
    dialog.press(keys.return);
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
    expect(switches).toEqual([true]);
  });

  test('passes text on to the prompt', async () => {
    const dialog = mount(permissionDialog(request, answering()));
    await dialog.screen();
    dialog.press(...typedKeys('yes'));
    expect(dialog.typed).toEqual(typedKeys('yes'));
  });

  test('asks for a selection outside the sandbox', async () => {
    const sandbox = { kind: 'host', level: 'permissive', network: 'open' } as const;
    const dialog = mount(permissionDialog({ ...request, sandbox }, answering()));
    await dialog.screen();
    dialog.press(keys.return);
    expect((await dialog.screen()).join('\n')).toContain('Select an answer first (↑↓ or 1-2)');
    dialog.press(...typedKeys('1'), keys.return);
    expect(await dialog.result).toMatchObject({ type: 'answer', answer: { choice: 'once' } });
  });

  test('each of several simultaneous keys sees the state left by the previous one', async () => {
    const dialog = mount(permissionDialog(request, answering()));
    await dialog.screen();
    dialog.press(...typedKeys('n'), keys.return, ...typedKeys('not this'), keys.return, ...typedKeys('y'));
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'no', reason: 'not this' } });
  });
});

describe("the model's question", () => {
  const question = { question: 'Which?', choices: ['red', 'blue'] };

  test('is answered by a choice', async () => {
    const dialog = mount(askDialog(question));
    expect(await dialog.screen()).toEqual([
      `╭${'─'.repeat(62)}╮`,
      `│ Which?${' '.repeat(54)} │`,
      `│ ❯ 1. red${' '.repeat(52)} │`,
      `│   2. blue${' '.repeat(51)} │`,
      `│   or:${' '.repeat(55)} │`,
      `│ enter answer   esc to interrupt${' '.repeat(29)} │`,
      `╰${'─'.repeat(62)}╯`,
    ]);
    dialog.press(...typedKeys('2'), keys.return);
    expect(await dialog.result).toEqual({ type: 'answer', text: 'blue' });
  });

  test.each(['green 2', '2 coats of red', '12', '22 May'])('is answered by free text: %s', async (text) => {
    const dialog = mount(askDialog(question));
    await dialog.screen();
    dialog.press(...typedKeys(text), keys.return);
    expect(await dialog.result).toEqual({ type: 'answer', text });
  });
});

test('a secret is never on the screen', async () => {
  const dialog = mount(textDialog({ question: 'API key', hidden: true }));
  await dialog.screen();
  dialog.press({ type: 'paste', text: 'sk-ant-1234' });
  expect(await dialog.screen()).toEqual(['API key', '› •••••••••••', 'enter done   esc back']);
  dialog.press(keys.return);
  expect(await dialog.result).toBe('sk-ant-1234');
});

test('a yes/no question takes an explicit choice, any other a line', async () => {
  const yes = mount(questionDialog('Undo this? [y/n] '));
  expect((await yes.screen()).map((row) => row.slice(2, -2).trim()).filter(Boolean)).toEqual([
    expect.any(String),
    'Undo this?',
    '1. Yes',
    '2. No',
    '↑↓ or 1-2 select   enter answer   esc no',
    expect.any(String),
  ]);
  yes.press(keys.return, ...typedKeys('y'), keys.return);
  expect(await yes.result).toBe('y');
  const line = mount(questionDialog('With what? [c/f/b] '));
  await line.screen();
  line.press(...typedKeys('both'), keys.return);
  expect(await line.result).toBe('both');
});

describe('a picker', () => {
  const items = [
    { id: 'a', label: 'Alpha', detail: 'first' },
    { id: 'b', label: 'Beta', detail: 'second' },
  ];

  test('shows a preview of the selected row, and the results of a deeper search', async () => {
    const picker = mount(
      pickerDialog({
        title: 'Things',
        none: '',
        takes: 'take it',
        items,
        search: 'typed',
        find: async (query) => (query === 'deep' ? [{ id: 'b', label: 'Beta', detail: '“deep down”' }] : []),
        preview: async (id) => [[{ text: `look at ${id}` }]],
      }),
      { columns: 60, rows: 16 },
    );
    await expect
      .poll(() => picker.screen(), SETTLING)
      .toEqual([
        'Things',
        'Search:',
        '❯  Alpha  first',
        '   Beta   second',
        'look at a',
        'enter take it   esc close',
      ]);
    picker.press(...typedKeys('deep'));
    await expect
      .poll(async () => (await picker.screen()).slice(1, 4), SETTLING)
      .toEqual(['Search: deep', '❯  Beta  “deep down”', 'look at b']);
    picker.press(keys.return);
    expect(await picker.result).toEqual({ id: 'b', action: null });
  });

  test('a failing search or preview leaves the list unchanged', async () => {
    const fails = async () => {
      throw new Error('gone');
    };
    const text = { title: 'Things', none: '', takes: 'take it' };
    const picker = mount(pickerDialog({ ...text, items, search: 'typed', find: fails, preview: fails }), {
      columns: 60,
      rows: 16,
    });
    picker.press(...typedKeys('be'));
    await expect
      .poll(async () => (await picker.screen()).slice(2, 4), SETTLING)
      .toEqual(['❯  Beta  second', 'gone']);
  });
});
