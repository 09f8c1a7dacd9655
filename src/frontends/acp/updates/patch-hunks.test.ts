import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffOf } from '../../../lib/text/diff-lines.ts';
import { patchHunks } from './patch-hunks.ts';

const lines = fc
  .array(fc.constantFrom('a', 'b', 'c', '', '-x', '+y', '@@ -1 +1 @@', '\\ No newline at end of file'))
  .chain((all) => fc.constantFrom(all.join('\n'), `${all.join('\n')}\n`));

test('each hunk replaces its old text, found at its line, by its new text', async () => {
  await fc.assert(
    fc.asyncProperty(lines, lines, async (before, after) => {
      const { patch } = await diffOf('a.txt', before, after);
      const hunks = patchHunks(patch);
      for (const { oldText, oldLine } of hunks) {
        expect(before.slice(offsetOf(before, oldLine)).startsWith(oldText ?? '')).toBe(true);
      }
      let text = before;
      for (const { oldText, newText, line } of hunks) {
        const start = offsetOf(text, line);
        expect(text.slice(start, start + (oldText ?? '').length)).toBe(oldText);
        text = text.slice(0, start) + newText + text.slice(start + (oldText ?? '').length);
      }
      expect(text).toBe(after);
    }),
  );
});

test('a new file has no old text', async () => {
  const { patch } = await diffOf('a.txt', null, 'one\ntwo');
  expect(patchHunks(patch)).toEqual([
    { oldText: null, newText: 'one\ntwo', oldLine: 1, line: 1, changed: 1 },
  ]);
  expect(patchHunks('')).toEqual([]);
});

/** Where a line begins. Hunks before it are applied already, so that lines count as in the new text. */
function offsetOf(text: string, line: number): number {
  let offset = 0;
  for (let at = 1; at < line; at++) offset = text.indexOf('\n', offset) + 1 || text.length;
  return offset;
}
