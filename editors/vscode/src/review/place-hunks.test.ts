import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HunkChange } from '../../../../src/frontends/acp/extension-methods.ts';
import { hunkAt, placeHunks } from './place-hunks.ts';

function hunk(id: string, newStart: number, newText: string, oldText = 'old\n'): HunkChange {
  return {
    id,
    what: id,
    patch: '',
    added: 1,
    removed: 1,
    lines: { oldStart: newStart, oldText, newStart, newText },
  };
}

test('hunks are at their lines', () => {
  expect(placeHunks([hunk('a', 2, 'b\n'), hunk('b', 4, 'd\ne\n')], 'a\nb\nc\nd\ne\n')).toEqual([
    { id: 'a', what: 'a', start: 1, count: 1 },
    { id: 'b', what: 'b', start: 3, count: 2 },
  ]);
});

test('they move with lines that the user adds or removes above', () => {
  const hunks = [hunk('a', 2, 'b\n'), hunk('b', 4, 'd\n')];
  expect(placeHunks(hunks, 'new\nnew\na\nb\nc\nd\n').map(({ start }) => start)).toEqual([3, 5]);
  expect(placeHunks(hunks, 'b\nc\nd\n').map(({ start }) => start)).toEqual([0, 2]);
});

test('of equal lines the nearest counts', () => {
  expect(placeHunks([hunk('a', 3, 'x\n')], 'x\n\nx\n\nx\n')).toMatchObject([{ start: 2 }]);
});

test('what the user has edited is left out, and so is what is not in lines', () => {
  const mode = { id: 'm', what: 'mode 644 → 755', patch: '', added: 0, removed: 0, lines: null };
  expect(placeHunks([mode, hunk('a', 1, 'a\n'), hunk('b', 2, 'b\n')], 'a!\nb\n')).toMatchObject([
    { id: 'b' },
  ]);
});

test('removed lines are between lines, also at the end of the document', () => {
  expect(placeHunks([hunk('a', 2, '', 'x\n')], 'a\nb\n')).toMatchObject([{ start: 1, count: 0 }]);
  expect(placeHunks([hunk('a', 3, '', 'x\n')], 'a\nb\n')).toMatchObject([{ start: 2, count: 0 }]);
  expect(placeHunks([hunk('a', 9, '', 'x\n')], '')).toMatchObject([{ start: 0, count: 0 }]);
});

test('lines end with CRLF in some documents', () => {
  expect(placeHunks([hunk('a', 2, 'b\n')], 'a\r\nb\r\n')).toMatchObject([{ start: 1 }]);
});

test('the hunk at the cursor', () => {
  const placed = placeHunks([hunk('a', 2, 'b\nc\n'), hunk('b', 4, '', 'x\n')], 'a\nb\nc\nd\ne\n');
  expect([0, 1, 2, 3, 4].map((line) => hunkAt(placed, line)?.id ?? null)).toEqual([
    null,
    'a',
    'a',
    'b',
    null,
  ]);
});

test('whatever the document is, places are in it, in order and do not overlap', () => {
  const line = fc.constantFrom('a', 'b', 'c', '');
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((one) => `${one}\n`).join(''));
  const hunks = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), text), { maxLength: 5 });
  fc.assert(
    fc.property(hunks, text, (all, document) => {
      const placed = placeHunks(
        all.map(([start, newText], i) => hunk(String(i), start, newText)),
        document,
      );
      const lines = document.split('\n').length;
      let free = 0;
      for (const { start, count } of placed) {
        expect(start).toBeGreaterThanOrEqual(Math.min(free, lines - 1));
        expect(start).toBeLessThan(lines);
        expect(start + count).toBeLessThanOrEqual(lines);
        free = start + count;
      }
    }),
  );
});
