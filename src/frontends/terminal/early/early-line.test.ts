import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusParts } from '../../../config/schema/schema.ts';
import { emptyEditor, press } from '../editor/editor.ts';
import { promptLines, textWidth } from '../editor/prompt-lines.ts';
import { frameLines } from '../frame.ts';
import { unknownStatus } from '../initial-status.ts';
import { KeyDecoder } from '../keyboard/key-decoder.ts';
import { createKeymap } from '../keyboard/keymap.ts';
import { noHighlighter } from '../markdown/highlight.ts';
import { paint } from '../painter/paint.ts';
import { lookOf } from '../theme/look.ts';
import { themeOf } from '../theme/theme.ts';
import { takeCaret } from '../view/caret.ts';
import { emptyView } from '../view/store.ts';
import { readEarly } from './early-line.ts';
import { earlyFrame, earlyWidth } from './early-rows.ts';
import { isSpacious } from './start-rows.ts';

const WIDTH = 30;

const keys = {
  left: '\u001b[D',
  right: '\u001bOC',
  delete: '\u007f',
  enter: '\r',
  cancel: '\u0003',
  end: '\u0004',
  paste: '\u001b[200~two words\u001b[201~',
};

/** The main prompt's result for the same keys. */
function byPrompt(typed: string) {
  const around = {
    keymap: createKeymap().keymap,
    width: WIDTH,
    history: [],
    offers: [],
    queued: 0,
    now: 0,
  };
  let editor = emptyEditor('emacs');
  const sent: string[] = [];
  const acts: string[] = [];
  for (const key of new KeyDecoder().push(typed)) {
    const { editor: next, effect } = press(editor, key, around);
    editor = next;
    if (effect?.type === 'submit') sent.push(effect.submitted.text);
    if (effect?.type === 'screen') acts.push(effect.action);
  }
  return { editor, text: editor.buffer.text, at: editor.buffer.at, sent: sent.at(0) ?? null, acts };
}

const plainKey = fc.constantFrom(...'abc ?!/@\\äжλ', ...Object.values(keys));
const anyKey = fc.oneof(
  { weight: 8, arbitrary: plainKey },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\t', '\u001b', '漢', '\u001b[A', '\u0001', '\u001b[200~a\rb\u001b[201~'),
  },
);
/** The end of the sequence is still missing. */
const isUnfinished = (typed: string) => typed.endsWith('\u001b');
const typing = fc.array(anyKey, { maxLength: 25 }).map((pieces) => pieces.join(''));

describe('keys before the prompt is ready', () => {
  test.each([
    ['hello', { text: 'hello', at: 5 }],
    [`helo${keys.left}l`, { text: 'hello', at: 4 }],
    [`hi${keys.paste}!`, { text: 'hi', at: 2, state: 'unclear' }],
    [`hi${keys.enter}more`, { text: 'more', at: 4, sent: 'hi' }],
    [`hi${keys.cancel}`, { text: '', at: 0 }],
    [keys.cancel, { warned: true }],
    [keys.cancel + keys.cancel, { warned: true, state: 'left' }],
    [keys.end, { state: 'left' }],
    ['?', { state: 'unclear' }],
    [`hi\t${keys.cancel.repeat(3)}`, { text: 'hi', at: 2, state: 'left' }],
    [`/help${keys.enter}`, { text: '/help', at: 5, state: 'unclear' }],
    [`one${keys.enter}two${keys.enter}`, { text: 'two', at: 3, sent: 'one', state: 'unclear' }],
    ['x'.repeat(WIDTH + 1), { text: 'x'.repeat(WIDTH), at: WIDTH, state: 'unclear' }],
  ])('%j', (typed, expected) => {
    const untouched = { text: '', at: 0, sent: null, warned: false, state: 'open' };
    expect(readEarly(typed, WIDTH)).toEqual({ ...untouched, ...expected });
  });

  test('as long as they are unambiguous, the prompt gives the same result', () => {
    fc.assert(
      fc.property(typing, (typed) => {
        const { state, warned, ...early } = readEarly(typed, WIDTH);
        fc.pre(state === 'open' && !isUnfinished(typed));
        const { text, at, sent, acts } = byPrompt(typed);
        expect(early).toEqual({ text, at, sent });
        if (warned) expect(acts.at(-1)).toBe('cancel');
        expect(acts).not.toContain('quit');
      }),
    );
  });

  test('give the same result however they are split into chunks', () => {
    fc.assert(
      fc.property(typing, fc.nat(60), (typed, cut) => {
        const begun = readEarly(typed.slice(0, cut), WIDTH);
        const whole = readEarly(typed, WIDTH);
        // An incomplete sequence is neither shown nor dropped.
        if (begun.state === 'unclear') expect(whole).toEqual({ ...begun, state: whole.state });
        if (begun.state === 'left' && !typed.endsWith('\u0003')) expect(whole).toEqual(begun);
      }),
    );
  });

  test.each(['none', '16', '256', 'truecolor'] as const)(
    'are painted in exactly the rows the screen will paint, %s colors',
    (depth) => {
      const theme = themeOf('light', depth);
      const look = lookOf({ theme, status: unknownStatus, statusBar: statusParts }, ['default', 'plan']);
      const sizes = { columns: fc.integer({ min: 40, max: 90 }), lines: fc.integer({ min: 12, max: 30 }) };
      const folder = fc.constantFrom('~/app', '/srv/日本', '/a/very/long/path'.repeat(5));
      fc.assert(
        fc.property(typing, fc.record({ ...sizes, folder }), (typed, { columns, lines, folder }) => {
          const line = readEarly(typed, earlyWidth(columns));
          fc.pre(line.state === 'open' && !line.warned && !line.text.trimStart().startsWith('!'));
          fc.pre(!isUnfinished(typed));
          const { editor, sent } = byPrompt(typed);
          const start = { version: '1.2.3', folder, tip: '@ completes file names' };
          const view = emptyView(unknownStatus, start);
          const size = { columns, rows: lines };
          const state = { editor, offers: [], listing: false };
          const frame = { top: 0, history: [], framed: isSpacious(size) };
          const rows = frameLines({
            view: { ...view, queue: sent === null ? [] : [{ text: sent, images: [] }] },
            surroundings: { ...size, theme, highlighter: noHighlighter },
            statusBar: statusParts,
            modeKey: 'shift+tab',
            now: 0,
            isAsked: false,
            dialog: null,
            prompt: (room) => promptLines(state, { ...room, ...frame }).lines,
          }).map(paint);
          const at = rows.findIndex((row) => takeCaret(row) !== null);
          const whole = rows.map((row) => takeCaret(row)?.line ?? row);
          const { rows: early, caret } = earlyFrame(line, look, { columns, lines, start });
          // What cannot be measured without loading more is left out.
          const known = whole.map((row) => (row.includes('日') ? '' : row));
          expect(early).toEqual(known);
          expect(caret).toEqual({ row: at, column: 2 + line.at });
        }),
      );
    },
  );

  test('the width for text is that of the prompt', () => {
    for (const columns of [40, 80, 200]) expect(earlyWidth(columns)).toBe(textWidth(columns));
  });
});
