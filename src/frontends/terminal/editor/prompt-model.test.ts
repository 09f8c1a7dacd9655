import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { keysOf, pasteOf } from '../../../../test/support/editor-keys.ts';
import type { TypedPrompt } from '../../../app/conversation/prompt-queue.ts';
import { createKeymap } from '../keyboard/keymap.ts';
import { paint } from '../painter/paint.ts';
import { themeOf } from '../theme/theme.ts';
import { takeCaret } from '../view/caret.ts';
import type { Key } from '../view/types.ts';
import { promptLines, textWidth } from './prompt-lines.ts';
import { type PromptDeps, PromptModel } from './prompt-model.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'AA' } as const;

function promptOf(others: Partial<PromptDeps> = {}) {
  const told: { sent: TypedPrompt[]; acts: string[]; hints: string[] } = { sent: [], acts: [], hints: [] };
  let now = 0;
  const model = new PromptModel({
    keymap: createKeymap().keymap,
    mode: 'emacs',
    history: () => ['fix the bug', 'add a test'],
    commands: () => [
      { name: 'mode', description: 'Change the mode' },
      { name: 'memory', description: 'Show notes' },
      { name: 'help', description: 'List commands' },
    ],
    listFiles: async () => ['src/app.ts', 'src/frontends/terminal/app.tsx', 'README.md'],
    images: {
      cwd: '/',
      home: '/',
      acceptsImages: () => true,
      readFile: async () => Buffer.from('no image'),
      copied: async () => ({ type: 'none' as const }),
    },
    queued: () => 0,
    recall: () => null,
    editExternally: async (text) => `${text}, edited`,
    submit: (prompt) => told.sent.push(prompt),
    retry: () => undefined,
    act: (action) => told.acts.push(action),
    hint: (text) => told.hints.push(text),
    now: () => (now += 1_000),
    ...others,
  });
  const press = (...keys: (string | Key)[]) => {
    for (const key of keys.flatMap((one) => (typeof one === 'string' ? keysOf(one) : [one])))
      model.press(key);
  };
  /** The visible rows, and the caret position. */
  const screen = ({ columns = 40, rows = 4 } = {}) => {
    model.resize(textWidth(columns));
    const theme = themeOf('dark', 'none');
    const { lines } = promptLines(model.state, { columns, rows, top: 0, theme, history: model.history });
    let caret: string | null = null;
    const text = lines.map((line, row) => {
      const painted = paint(line);
      const taken = takeCaret(painted);
      if (taken) caret = `${row}:${stripVTControlCharacters(taken.before).length}`;
      return stripVTControlCharacters(taken?.line ?? painted).trimEnd();
    });
    return { text, caret };
  };
  return { model, press, screen, told };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the screen', () => {
  test('an empty prompt shows hints, with the caret before them', () => {
    expect(promptOf().screen({ columns: 64 })).toEqual({
      text: ['> Ask for anything · / commands · @ files · ! shell · ? keys'],
      caret: '0:2',
    });
  });

  test('several rows, with the caret on a character', () => {
    const { press, screen } = promptOf();
    press('one', '<ctrl+j>', 'two', '<left>');
    expect(screen()).toEqual({ text: ['> one', '  two'], caret: '1:4' });
  });

  test('more rows than fit: those around the caret', () => {
    const { press, screen } = promptOf();
    press(pasteOf('1\n2\n3\n4\n5\n6'));
    expect(screen({ rows: 3 })).toEqual({ text: ['↑ 4', '  5', '  6'], caret: '2:3' });
    press('<alt+<>');
    expect(screen({ rows: 3 })).toEqual({ text: ['> 1', '  2', '↓ 3'], caret: '0:2' });
  });

  test('a large paste is a label', () => {
    const { press, screen } = promptOf();
    press('see ', pasteOf('line\n'.repeat(120)), ' now');
    expect(screen()).toEqual({ text: ['> see [pasted 120 lines] now'], caret: '0:28' });
  });

  test('commands by the letters they contain', () => {
    const { press, screen } = promptOf();
    press('/m', '<down>');
    expect(screen()).toEqual({
      text: ['> /m', '  /mode    Change the mode', '› /memory  Show notes'],
      caret: '0:4',
    });
  });

  test('files, as soon as they are listed', async () => {
    const { press, screen } = promptOf();
    press('read @app');
    expect(screen().text).toEqual(['> read @app', '  Searching files…']);
    await settle();
    expect(screen().text).toEqual(['> read @app', '› @src/app.ts', '  @src/frontends/terminal/app.tsx']);
    press('<tab>');
    expect(screen()).toEqual({ text: ['> read @src/app.ts'], caret: '0:19' });
  });

  test('the selection is kept when other files are found', async () => {
    let files = ['b.ts', 'c.ts'];
    let now = 0;
    const { press, screen } = promptOf({ listFiles: async () => files, now: () => now });
    press('@');
    await settle();
    press('<down>');
    files = ['a.ts', 'b.ts', 'c.ts'];
    now = 60_000;
    press('<right>');
    await settle();
    expect(screen().text).toEqual(['> @', '  @a.ts', '  @b.ts', '› @c.ts']);
  });

  test('a history search', () => {
    const { press, screen } = promptOf();
    press('<ctrl+r>', 'bug');
    expect(screen()).toEqual({ text: ['> fix the bug', 'Search history: bug'], caret: '1:19' });
    press('x');
    expect(screen()).toEqual({ text: ['>', 'No match in history: bugx'], caret: '1:25' });
  });

  test('a shell command is labelled', () => {
    const { press, screen } = promptOf();
    press('!ls');
    expect(screen({ columns: 60 }).text).toEqual([
      '> !ls',
      '  Runs in your shell; the model sees the output.',
    ]);
  });

  test('vim shows its normal mode', () => {
    const { press, screen } = promptOf({ mode: 'vim' });
    press('ab', '<escape>');
    expect(screen()).toEqual({ text: ['> ab', '  normal mode · i insert'], caret: '0:3' });
  });

  test('vim shows its visual mode', () => {
    const { press, screen } = promptOf({ mode: 'vim' });
    press('ab', '<escape>', 'v');
    expect(screen({ columns: 70 }).text).toEqual([
      '> ab',
      '  visual mode · d cut · c change · y copy · Esc exit',
    ]);
  });

  test('no row is wider than a narrow screen', () => {
    const { press, screen } = promptOf();
    press('/m');
    for (const columns of [8, 12, 20]) {
      for (const row of screen({ columns }).text) expect([...row].length).toBeLessThanOrEqual(columns);
    }
  });
});

describe('effects of the prompt', () => {
  test('a prompt is sent completely', () => {
    const { press, told } = promptOf();
    press('hi', '<return>');
    expect(told).toEqual({ sent: [{ text: 'hi', images: [] }], acts: [], hints: [] });
  });

  test('a queued prompt is recalled with its image', () => {
    let waiting: TypedPrompt | null = { text: 'see [image a.png] and', images: [image] };
    const { press, screen, told } = promptOf({
      queued: () => (waiting ? 1 : 0),
      recall: () => {
        const last = waiting;
        waiting = null;
        return last;
      },
    });
    press('<up>', ' this');
    expect(screen().text).toEqual(['> see [image a.png] and this']);
    press('<return>');
    expect(told.sent).toEqual([{ text: 'see [image a.png] and this', images: [image] }]);
  });

  test('the external editor', async () => {
    const { press, screen } = promptOf();
    press('words', '<ctrl+g>');
    await settle();
    expect(screen()).toEqual({ text: ['> words, edited'], caret: '0:15' });
  });

  test('an image stays attached as long as its label is kept', async () => {
    const written = ['now [image a.png] here', 'nothing'];
    const { model, press, told } = promptOf({ editExternally: async () => written.shift() ?? null });
    model.fill({ text: '[image a.png]', images: [image] });
    press('<ctrl+g>');
    await settle();
    press('<return>');
    model.fill({ text: '[image a.png]', images: [image] });
    press('<ctrl+g>');
    await settle();
    press('<return>');
    expect(told.sent).toEqual([
      { text: 'now [image a.png] here', images: [image] },
      { text: 'nothing', images: [] },
    ]);
  });

  test('a recalled prompt can be completed, but a list does not block older ones', () => {
    const { press, screen } = promptOf({ history: () => ['older', '/m'] });
    press('<up>');
    expect(screen().text).toEqual(['> /m']);
    press('<up>', '<down>', 'o');
    expect(screen().text).toEqual(['> /mo', '› /mode    Change the mode', '  /memory  Show notes']);
  });

  test('a failing editor keeps the text, and shows what to do', async () => {
    const { press, screen, told } = promptOf({ editExternally: async () => null });
    press('words', '<ctrl+g>');
    await settle();
    expect(screen().text).toEqual(['> words']);
    expect(told.hints).toEqual(['The editor returned no text. Set EDITOR to the editor you use.']);
  });

  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const images = {
    cwd: '/',
    home: '/',
    acceptsImages: () => true,
    readFile: async () => png,
    copied: async () => ({ type: 'image' as const, bytes: png }),
  };

  test('a clipboard image is inserted at the caret', async () => {
    const { press, screen, told } = promptOf({ images });
    press('see  here', '<left>', '<left>', '<left>', '<left>', '<left>', '<ctrl+v>');
    await settle();
    expect(screen().text).toEqual(['> see [image from the clipboard] here']);
    press('<return>');
    expect(told.sent.map(({ images: [one] }) => one?.mediaType)).toEqual(['image/png']);
  });

  test('a dropped image replaces its path, even if the user types meanwhile', async () => {
    const { press, screen, told } = promptOf({ images });
    press(pasteOf('/tmp/dot.png'), ' what is it?');
    await settle();
    expect(screen()).toEqual({ text: ['> [image dot.png] what is it?'], caret: '0:29' });
    press('<return>');
    expect(told.sent.map(({ images: [one] }) => one?.mediaType)).toEqual(['image/png']);
  });

  test('a path that is not an image is kept, with the reason', async () => {
    const { press, screen, told } = promptOf();
    press(pasteOf('/tmp/x.png'));
    await settle();
    expect(screen().text).toEqual(['> /tmp/x.png']);
    expect(told.hints).toEqual(['x.png was not attached: it is not a complete image.']);
  });
});

describe('dictated words', () => {
  test.each([
    ['into an empty prompt', '', 0, 'Add a test.'],
    ['after a word', 'Please', 0, 'Please Add a test.'],
    ['after a space', 'Please ', 0, 'Please Add a test.'],
    ['between words', 'Please now', 3, 'Please Add a test. now'],
    ['inside a word', 'ab', 1, 'a Add a test. b'],
    ['in a new line', 'First.\n', 0, 'First.\nAdd a test.'],
  ])('%s', (_, typed, left, whole) => {
    const { model, press } = promptOf();
    press(pasteOf(typed), ...Array<string>(left).fill('<left>'));
    model.insert('Add a test.');
    expect(model.state.editor.buffer.text).toBe(whole);
    press('<ctrl+_>');
    expect(model.state.editor.buffer.text).toBe(typed);
  });
});
