import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { showChange } from './show-change.ts';
import { unitsOf } from './units.ts';

test('[C05] property: applying the diff to the old text yields the new one', async () => {
  const line = fc.constantFrom('a', 'b', 'ä', '', 'a\r', 'long '.repeat(300));
  const lines = fc.array(line, { maxLength: 12 });
  const end = fc.constantFrom('', '\n');
  const around = fc.tuple(lines, lines, end);
  await fc.assert(
    fc.asyncProperty(around, lines, lines, async ([head, tail, last], before, after) => {
      const texts = [before, after].map((middle) => [...head, ...middle, ...tail].join('\n') + last);
      const [one = '', other = ''] = texts;
      const units = (text: string) => unitsOf(text, 'utf-8') ?? '';
      fc.pre(one !== other);
      const { patch } = await showChange('x', { before: units(one), after: units(other), encoding: 'utf-8' });
      expect(applyPatch(one, patch)).toBe(other);
    }),
    { numRuns: 500 },
  );
});

test('[C05] in a long file the diff equals that of the whole texts', async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i} ü`);
  const before = lines.join('\n');
  const after = lines.with(2_000, 'changed').toSpliced(2_400, 3).join('\n');
  const units = (text: string) => unitsOf(text, 'utf-8') ?? '';
  expect(await showChange('x', { before: units(before), after: units(after), encoding: 'utf-8' })).toEqual(
    await diffOf('x', before, after),
  );
});
