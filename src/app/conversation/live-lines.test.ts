import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveLines } from './live-lines.ts';

function lines() {
  const told: string[] = [];
  return { told, live: new LiveLines((text) => told.push(text)) };
}

test('a line is emitted once it is complete, the last one at the end', () => {
  const { live, told } = lines();
  for (const piece of ['one\ntw', 'o\nthree\nfo', 'ur']) live.take(piece);
  expect(told).toEqual(['one', 'two\nthree']);
  live.end();
  expect(told).toEqual(['one', 'two\nthree', 'four']);
});

test('the text is the same however it is split into chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[ab\n]{0,6}$/)), (pieces) => {
      const { live, told } = lines();
      for (const piece of pieces) live.take(piece);
      live.end();
      expect(told.join('\n')).toBe(pieces.join('').replace(/\n$/, ''));
    }),
  );
});

test('excessive output is cut off, with one notice', () => {
  const { live, told } = lines();
  for (let i = 0; i < 50; i++) live.take(`${'x'.repeat(9_999)}\n`);
  live.end();
  expect(told.join('\n').length).toBeLessThan(230_000);
  expect(told.filter((text) => text.endsWith('(output truncated)'))).toHaveLength(1);
});
