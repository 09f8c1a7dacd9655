import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GrepHit, grepReader, PATH_START } from './grep-records.ts';

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
  for (const record of records) for (const piece of record.split('\n')) onRecord(piece);
  return hits;
}

test('hits, context lines, counts and messages', () => {
  const records = [
    ...['a\x001:9:0:x', 'a\x002-77-y:3:\r', 'b\x007', 'b: binary file matches', 'c\x0012:1:200:'],
    ...['c\x0012:1:text', 'c\x0012-text'],
  ];
  expect(read([...records.map((record) => PATH_START + record), ''])).toEqual([
    ['a', { line: 1, column: 9, offset: 0, mark: ':', text: 'x' }],
    ['a', { line: 2, column: 0, offset: 77, mark: '-', text: 'y:3:' }],
    ['b', { line: 7, column: 0, offset: 0, mark: ':', text: '' }],
    ['c', { line: 12, column: 1, offset: 200, mark: ':', text: '' }],
  ]);
});

test('uninteresting files are skipped', () => {
  const records = ['a\x001:1:0:x', 'b\x001:1:0:y', 'a\x002:1:2:z'].map((record) => PATH_START + record);
  expect(read(records, (file) => file === 'a').map(([file]) => file)).toEqual(['a', 'a']);
});

test('property: any line and name are parsed back unchanged', () => {
  const text = fc.string().map((line) => line.replaceAll(/[\n\0]/g, ''));
  // Path segments as on a disk, with text that could be mistaken for something else in a record.
  const odd = fc.constantFrom('\n', '.', ':', '-', '1', '\n.', '\n..', ': binary file matches\n', 'a');
  const segment = fc
    .array(fc.oneof(odd, fc.string()), { minLength: 1 })
    .map((parts) => parts.join('').replaceAll(/[/\0]/g, ''))
    .filter((one) => !['', '.', '..'].includes(one));
  const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  const numbers = { line: fc.nat(), offset: fc.nat() };
  const hit = fc.oneof(
    fc.record({ ...numbers, column: fc.nat(), mark: fc.constant(':' as const), text }),
    fc.record({ ...numbers, column: fc.constant(0), mark: fc.constant('-' as const), text }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, hit)), (hits) => {
      const records = hits.flatMap(([file, { line, column, offset, mark, text: words }]) => [
        `${PATH_START}${file}: binary file matches`,
        `${PATH_START}${file}\0${line}${mark}${mark === ':' ? `${column}:` : ''}${offset}${mark}${words}`,
      ]);
      const expected = hits.map(([file, one]) => [file, { ...one, text: one.text.replace(/\r$/, '') }]);
      expect(read(records)).toEqual(expected);
    }),
  );
});
