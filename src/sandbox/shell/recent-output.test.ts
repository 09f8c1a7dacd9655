import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecentOutput } from './recent-output.ts';

test('output that was taken is not returned again', () => {
  const output = createRecentOutput(100);
  output.push('a');
  output.push('b');
  expect([output.take(), output.take()]).toEqual(['ab', '']);
  output.push('c');
  expect(output.take()).toBe('c');
});

test('of too much output the oldest is dropped, with one note', () => {
  const output = createRecentOutput(5);
  for (const letter of '0123456789abcdefghij') output.push(letter);
  expect([output.take(), output.take()]).toEqual(['[15 older characters dropped]\nfghij', '']);
});

test('property: any text in any chunks: a true end, within the limit, and the count adds up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 30 }),
      fc.integer({ min: 4, max: 60 }),
      (pieces, limit) => {
        const output = createRecentOutput(limit);
        for (const piece of pieces) output.push(piece);
        const all = pieces.join('');
        const told = output.take();
        const [, dropped = '0', kept = told] = /^\[(\d+) older characters dropped\]\n(.*)$/s.exec(told) ?? [];
        expect(all.endsWith(kept)).toBe(true);
        expect(kept.length).toBeLessThanOrEqual(limit);
        expect(Number(dropped) + kept.length).toBe(all.length);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(all.length, limit) - 1);
        expect(Buffer.from(kept).toString()).toBe(kept);
      },
    ),
  );
});
