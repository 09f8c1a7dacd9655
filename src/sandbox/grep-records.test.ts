import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GrepHit, grepReader } from './grep-records.ts';

function read(records: string[], wanted: (file: string) => boolean = () => true): [string, GrepHit][] {
  const hits: [string, GrepHit][] = [];
  let current = '';
  const onRecord = grepReader({
    onFile(file) {
      current = file;
      return wanted(file);
    },
    onLine: () => true,
    onHit: (hit) => hits.push([current, hit]),
  });
  for (const record of records) onRecord(record);
  return hits;
}

test('hits, neighbours, counts and remarks', () => {
  expect(read(['a\x001:x', 'a\x002-y:3:\r', 'b\x007', 'b: binary file matches', '', 'c\x0012:'])).toEqual([
    ['a', { line: 1, mark: ':', text: 'x' }],
    ['a', { line: 2, mark: '-', text: 'y:3:' }],
    ['b', { line: 7, mark: ':', text: '' }],
    ['c', { line: 12, mark: ':', text: '' }],
  ]);
});

test('files of no interest are passed over', () => {
  expect(read(['a\x001:x', 'b\x001:y', 'a\x002:z'], (file) => file === 'a').map(([file]) => file)).toEqual([
    'a',
    'a',
  ]);
});

test('whatever a line holds comes back as it was', () => {
  const text = fc.string().map((line) => line.replaceAll(/[\n\0]/g, ''));
  const name = fc.string({ minLength: 1 }).map((line) => `./${line.replaceAll(/[\n\0]/g, '')}`);
  const hit = fc.record({ line: fc.nat(), mark: fc.constantFrom(':' as const, '-' as const), text });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, hit)), (hits) => {
      const records = hits.map(([file, { line, mark, text: words }]) => `${file}\0${line}${mark}${words}`);
      const expected = hits.map(([file, one]) => [file, { ...one, text: one.text.replace(/\r$/, '') }]);
      expect(read(records)).toEqual(expected);
    }),
  );
});
