import { afterEach, describe, expect, test } from 'vitest';
import { keys, typedKeys } from '../../../../test/support/keys.ts';
import { MountedDialog } from '../../../../test/support/mounted-dialog.ts';
import type { PermissionRequest } from '../../../contract/permission.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Key } from '../view/types.ts';
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

/** A clock that is moved by hand. */
function clock() {
  const early: Key[] = [];
  const time = { now: 0 };
  const switches: number[] = [];
  const kit = {
    now: () => time.now,
    onEarlyKey: (key: Key) => void early.push(key),
    acceptEdits: () => void switches.push(time.now),
  };
  return { time, early, switches, kit };
}

describe('the permission dialog', () => {
  test('shows the change and takes a single key', async () => {
    const { kit, time } = clock();
    const dialog = mount(permissionDialog(request, kit));
    const screen = await dialog.screen();
    expect(screen[1]).toBe(`│ Edit a.ts?${' '.repeat(50)} │`);
    expect(screen.join('\n')).toContain('x<U+200B>');
    expect(screen.slice(-4, -1).map((row) => row.slice(2, -2).trim())).toEqual([
      '❯ 1. Yes',
      '2. No, and tell it what to do',
      'y yes   n no   esc to interrupt   shift+tab accept edits',
    ]);
    time.now = 1000;
    dialog.press(...typedKeys('y'));
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
  });

  test('approves nothing whose end was not drawn, however fast the keys are', async () => {
    const { kit, time } = clock();
    const lines = Array.from({ length: 50 }, (_, i) => `echo step ${i}`);
    const preview = { kind: 'text' as const, text: [...lines, 'rm -rf precious'].join('\n') };
    const dialog = mount(permissionDialog({ ...request, preview }, kit));
    expect((await dialog.screen()).join('\n')).not.toContain('rm -rf precious');
    time.now = 1000;
    // All at once: the end is scrolled to, but not drawn yet.
    dialog.press(keys.end, ...typedKeys('y'));
    await expect.poll(async () => (await dialog.screen()).join('\n'), SETTLING).toContain('rm -rf precious');
    expect((await dialog.screen()).join('\n')).toContain('Scroll to the end first (end)');
    dialog.press(...typedKeys('y'));
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
  });

  test('Enter takes the first row, unless it was typed for the prompt', async () => {
    const { kit, time, early } = clock();
    const dialog = mount(permissionDialog(request, kit));
    await dialog.screen();
    dialog.press(...typedKeys('go'));
    time.now = 600;
    dialog.press(keys.return);
    expect(early).toEqual([...typedKeys('go'), keys.return]);
    time.now = 1000;
    dialog.press(keys.return);
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
  });

  describe('Shift+Tab switches to accept edits', () => {
    const shiftTab = { type: 'key', name: 'tab', text: '', ctrl: false, alt: false, shift: true } as const;

    test('and says yes to what that mode covers', async () => {
      const { kit, time, switches } = clock();
      const dialog = mount(permissionDialog({ ...request, acceptEdits: true }, kit));
      await dialog.screen();
      time.now = 1000;
      dialog.press(shiftTab);
      expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'once', shown: 'all' } });
      expect(switches).toEqual([1000]);
    });

    test('and leaves the question open otherwise', async () => {
      const { kit, time, switches } = clock();
      const dialog = mount(permissionDialog(request, kit));
      await dialog.screen();
      dialog.press(shiftTab);
      time.now = 1000;
      dialog.press(shiftTab);
      expect(switches).toEqual([1000]);
      expect((await dialog.screen()).join('\n')).toContain('accept edits on');
      dialog.press(...typedKeys('n'));
      expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'no' } });
    });

    test('but not before the end was visible', async () => {
      const { kit, time, switches } = clock();
      const text = Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n');
      const long = { ...request, acceptEdits: true as const, preview: { kind: 'text' as const, text } };
      const dialog = mount(permissionDialog(long, kit));
      await dialog.screen();
      time.now = 1000;
      dialog.press(shiftTab);
      expect(switches).toEqual([]);
      expect((await dialog.screen()).join('\n')).toContain('Scroll to the end first (end)');
    });
  });

  test('passes keys typed too early to the prompt, one by one', async () => {
    const { kit, time, early } = clock();
    const dialog = mount(permissionDialog(request, kit));
    await dialog.screen();
    dialog.press(...typedKeys('yes'));
    expect(early).toEqual(typedKeys('yes'));
    time.now = 1000;
    dialog.press(...typedKeys('n'));
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'no' } });
  });

  test('each of several simultaneous keys sees the state left by the previous one', async () => {
    const { kit, time } = clock();
    const dialog = mount(permissionDialog(request, kit));
    await dialog.screen();
    time.now = 1000;
    dialog.press(...typedKeys('rnot this'), keys.return, ...typedKeys('y'));
    expect(await dialog.result).toEqual({ type: 'answer', answer: { choice: 'no', reason: 'not this' } });
  });
});

test("the model's question is answered by a number or free text", async () => {
  const { kit, time } = clock();
  const question = { question: 'Which?', choices: ['red', 'blue'] };
  const first = mount(askDialog(question, kit));
  expect(await first.screen()).toEqual([
    `╭${'─'.repeat(62)}╮`,
    `│ Which?${' '.repeat(54)} │`,
    `│ ❯ 1. red${' '.repeat(52)} │`,
    `│   2. blue${' '.repeat(51)} │`,
    `│   or:${' '.repeat(55)} │`,
    `│ enter answer   esc to interrupt${' '.repeat(29)} │`,
    `╰${'─'.repeat(62)}╯`,
  ]);
  time.now = 1000;
  first.press(...typedKeys('2'));
  expect(await first.result).toEqual({ type: 'answer', text: 'blue' });

  const second = mount(askDialog(question, kit));
  await second.screen();
  time.now = 2000;
  second.press(...typedKeys('green 2'), keys.return);
  expect(await second.result).toEqual({ type: 'answer', text: 'green 2' });
});

test('a secret is never on the screen', async () => {
  const dialog = mount(textDialog({ question: 'API key', hidden: true }));
  await dialog.screen();
  dialog.press({ type: 'paste', text: 'sk-ant-1234' });
  expect(await dialog.screen()).toEqual(['API key', '› •••••••••••', 'enter done   esc back']);
  dialog.press(keys.return);
  expect(await dialog.result).toBe('sk-ant-1234');
});

test('a yes/no question takes one key, any other a line', async () => {
  const { kit, time } = clock();
  const yes = mount(questionDialog('Undo this? [y/n] ', kit));
  expect(await yes.screen()).toEqual(['Undo this?', 'y yes   n no   esc no']);
  time.now = 1000;
  yes.press(...typedKeys('y'));
  expect(await yes.result).toBe('y');
  const line = mount(questionDialog('With what? [c/f/b] ', kit));
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
