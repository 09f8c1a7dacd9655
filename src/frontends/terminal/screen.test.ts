import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Terminal } from '@xterm/headless';
import { afterEach, expect, test } from 'vitest';
import { screenOn } from '../../../test/support/screen-on.ts';
import type { Screen } from './screen.ts';
import type { DialogView } from './view/dialog.ts';

const open = new Set<Screen>();

afterEach(async () => {
  for (const screen of open) await screen.close();
  open.clear();
});

/** A screen in a terminal that answers no queries. */
function opened() {
  const terminal = new Terminal({ cols: 80, rows: 20, scrollback: 2_000, allowProposedApi: true });
  const writes: string[] = [];
  let onWrite: ((text: string) => void) | undefined;
  const stdin = new PassThrough();
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      writes.push(text);
      onWrite?.(text);
      terminal.write(text, done);
    },
  });
  const screen = screenOn({ stdin, stdout, size: { columns: 80, rows: 20 } });
  open.add(screen);
  screen.open();
  const rows = () => {
    const { active } = terminal.buffer;
    const all = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? '',
    );
    return all.slice(0, all.findLastIndex((row) => row !== '') + 1);
  };
  const frames = () => writes.filter((text) => text.startsWith('\u001b[?2026h')).length;
  const press = (text: string) => stdin.write(text);
  /** As soon as these words are written, however busy the machine is. */
  const pressAt = (words: string, keys: string) => {
    onWrite = (text) => {
      if (!text.includes(words)) return;
      onWrite = undefined;
      press(keys);
    };
  };
  return { screen, rows, frames, press, pressAt };
}

const RULE = '─'.repeat(80);
const WAITING = 'A question is waiting: finish your prompt, or press esc to see it.';
const prompt = (text: string) => ['', 'sonnet'.padStart(80), RULE, `> ${text}`];
const PLACEHOLDER = prompt('Ask for anything · / commands · @ files · ! shell · ? keys');

/** Counts its keys; Enter answers with their number. */
function counting(shown: string) {
  const view = { open: 0, closed: 0 };
  const dialog = ({ onDone, redraw }: { onDone(keys: number): void; redraw(): void }): DialogView => {
    let keys = 0;
    view.open++;
    return {
      lines: () => [[{ text: `${shown} ${keys}` }]],
      press(key) {
        if (key.type === 'key' && key.name === 'return') onDone(keys);
        else keys++;
        redraw();
      },
      close: () => view.closed++,
    };
  };
  return { view, dialog };
}

test('finished items are drawn once, above the prompt, however many items and frames there are', async () => {
  const { screen, rows } = opened();
  const texts = Array.from({ length: 1_200 }, (_, i) => `line ${i}`);

  for (const [i, text] of texts.entries()) {
    screen.print(text);
    if (i % 100 === 0) await sleep(5);
  }

  await expect.poll(rows).toEqual([...texts, ...PLACEHOLDER]);
});

test('simultaneous changes are one frame', async () => {
  const { screen, rows, frames } = opened();
  await expect.poll(rows).toEqual(PLACEHOLDER);
  await sleep(50);
  const before = frames();

  for (let i = 0; i < 50; i++) screen.setStatus({ model: `model ${i}` });

  await expect.poll(rows).toContain('model 49'.padStart(80));
  expect(frames() - before).toBe(1);
});

test('an idle screen writes nothing', async () => {
  const { rows, frames } = opened();
  await expect.poll(rows).toEqual(PLACEHOLDER);
  await sleep(100);
  const before = frames();

  await sleep(300);

  expect(frames()).toBe(before);
});

test('keys go to the dialog while it is open, and to the prompt afterwards', async () => {
  const { screen, rows, press } = opened();
  const { view, dialog } = counting('keys:');
  const answer = screen.dialogs.show(dialog);
  await expect.poll(rows).toEqual(['', 'keys: 0']);

  press('ab');
  await expect.poll(rows).toEqual(['', 'keys: 2']);
  // A key that arrived together with the answer was not meant for the prompt.
  press('\rc');

  expect(await answer).toBe(2);
  await expect.poll(rows).toEqual(PLACEHOLDER);
  press('d');
  await expect.poll(rows).toEqual(prompt('d'));
  expect(view).toEqual({ open: 1, closed: 1 });
});

test('a dialog opens when it is its turn, and closes when it is aborted', async () => {
  const { screen, rows } = opened();
  const [first, second] = [counting('first:'), counting('second:')];
  const stop = new AbortController();
  const answers = [screen.dialogs.show(first.dialog, stop.signal), screen.dialogs.show(second.dialog)];
  await expect.poll(rows).toEqual(['', 'first: 0']);
  expect(second.view.open).toBe(0);

  stop.abort();

  await expect.poll(rows).toEqual(['', 'second: 0']);
  expect(first.view).toEqual({ open: 1, closed: 1 });
  await screen.close();
  expect(await Promise.all(answers)).toEqual([null, null]);
  expect(second.view).toEqual({ open: 1, closed: 1 });
});

test('what is typed before a question can have been read goes to the prompt, and the question waits for it', async () => {
  const { screen, rows, press, pressAt } = opened();
  pressAt('Which?', 'x');
  const asked = screen.answer({ question: 'Which?', choices: ['red'] }, new AbortController().signal);
  await expect.poll(rows).toEqual(['', WAITING, RULE, '> x']);

  press('\x1b');
  await expect.poll(() => rows().join('\n')).toContain('❯ 1. red');
  await sleep(400);
  press('1\r');

  expect(await asked).toBe('red');
  await expect.poll(rows).toEqual(prompt('x'));
});

test('the spinner is animated while something runs, but not behind a dialog', async () => {
  const { screen, rows, frames } = opened();
  screen.push({ type: 'run_start', sessionId: 's', provider: 'p', model: 'm', cwd: '/', messages: 0 });
  await expect.poll(rows).toHaveLength(6);
  const [before, mark] = [frames(), rows()[1]?.[0]];

  await expect.poll(() => rows()[1]?.[0]).not.toBe(mark);
  await expect.poll(frames).toBeGreaterThan(before);

  void screen.dialogs.show(counting('keys:').dialog);
  await expect.poll(rows).toEqual(['', 'keys: 0']);
  const still = frames();
  await sleep(300);
  expect(frames()).toBe(still);
});

test('closing keeps finished items and erases the rest', async () => {
  const { screen, rows } = opened();
  screen.print('the last word');

  await screen.close();

  await expect.poll(rows).toEqual(['the last word']);
});
