import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuse, rankByVectors, rankByWords } from './rank.ts';
import { wordsOf } from './words.ts';

const notes = [
  'The package manager is pnpm.',
  'Dates are stored in UTC.',
  'Migrations must be reversible.',
  'Snapshot tests are not welcome; assert on values.',
  'テストはDockerで動かします。',
];

test('forms of a word are one word, identifiers are split, and stop words are ignored', () => {
  expect(wordsOf('The migrations and a migration')).toEqual(['migrat', 'migrat']);
  expect(wordsOf('storing, stored, stores')).toEqual(['stor', 'stor', 'stor']);
  expect(wordsOf('sessionStore / session_store')).toEqual(['sess', 'stor', 'sess', 'stor']);
  expect(wordsOf('do not use it, never')).toEqual(['not', 'nev']);
  expect(wordsOf('C++ and C#')).toEqual(['c++', 'c#']);
});

test('[M04] without any service, notes are found by their words', async () => {
  expect(await rankByWords('how do I write a migration?', notes)).toEqual([2]);
  expect(await rankByWords('where are the dates stored', notes)).toEqual([1]);
  expect(await rankByWords('テストを動かす', notes)).toEqual([4]);
});

test('without common words, nothing is found', async () => {
  expect(await rankByWords('paint the fence green', notes)).toEqual([]);
  expect(await rankByWords('what is it?', notes)).toEqual([]);
  expect(await rankByWords('anything', [])).toEqual([]);
});

test('any query over any notes gives indexes of the list, without duplicates', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.array(fc.string(), { maxLength: 8 }), async (query, texts) => {
      const order = await rankByWords(query, texts);
      expect(new Set(order).size).toBe(order.length);
      expect(order.every((place) => place in texts)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('[M03] by cosine: similar directions come first, unrelated ones are excluded', () => {
  const vectors = [[0, 1], null, [2, 0.2], [1, 1], [-1, 0]];
  expect(rankByVectors([1, 0], vectors)).toEqual([2, 3]);
  expect(rankByVectors([1, 0], [])).toEqual([]);
  expect(rankByVectors([1, 0, 0], vectors)).toEqual([]);
});

test('two rankings are merged: what is in both comes first', () => {
  expect(
    fuse([
      [3, 1],
      [2, 1],
    ]),
  ).toEqual([1, 3, 2]);
  expect(fuse([[5], []])).toEqual([5]);
});
