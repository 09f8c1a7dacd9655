import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLoose } from './loose-json.ts';

const read = (text: string) => readLoose(text, { from: 0, fill: false })?.value;

test('valid JSON is parsed as by JSON.parse, to its last character', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), null, indent);
      expect(readLoose(text, { from: 0, fill: false })).toEqual({
        value: JSON.parse(text),
        end: text.length,
      });
    }),
    { numRuns: 500 },
  );
});

test('any text is parsed or rejected, without throwing', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ':',
    ',',
    '\\',
    'a',
    '1',
    '-',
    'None',
    ' ',
    '\n',
  );
  fc.assert(
    fc.property(
      fc.array(pieces).map((list) => list.join('')),
      fc.boolean(),
      (text, fill) => {
        const result = readLoose(text, { from: 0, fill });
        expect(result === undefined || result.end <= text.length).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
  expect(read('['.repeat(100_000))).toBeUndefined();
});

test.each([
  ['trailing commas', '{"a": [1, 2,], }', { a: [1, 2] }],
  ['single quotes', `{'a': 'say "hi"', 'b': 'it\\'s'}`, { a: 'say "hi"', b: "it's" }],
  ['line breaks in strings', '{"a": "one\n\ttwo"}', { a: 'one\n\ttwo' }],
  ['bare keys', '{a: 1, b-c: 2}', { a: 1, 'b-c': 2 }],
  ['the words of Python', '[True, False, None]', [true, false, null]],
  ['backslashes that escape nothing', String.raw`"\d+ \u12 \\ \u0041"`, String.raw`\d+ \u12 \ A`],
  ['a key that is special to JavaScript', '{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
])('%s are understood', (_, text, value) => {
  expect(read(text)).toEqual(value);
});

test.each([
  '',
  '{',
  '{"a" 1}',
  '{"a": }',
  '{"a": 1 "b": 2}',
  "'it's'x",
  '"open',
  '{"a": [1}',
  'nope',
  '01x',
  '{,}',
])('%j is rejected or only partly parsed', (text) => {
  expect(readLoose(text, { from: 0, fill: false })?.end).not.toBe(text.length);
});

test('open brackets are closed on request, strings and incomplete pairs never', () => {
  const filled = (text: string) => readLoose(text, { from: 0, fill: true })?.value;
  expect(filled('{"a": {"b": [1, 2')).toEqual({ a: { b: [1, 2] } });
  expect(filled('{"a": 1,')).toEqual({ a: 1 });
  expect(filled('{"a": "b')).toBeUndefined();
  expect(filled('{"a":')).toBeUndefined();
  expect(filled('{"a"')).toBeUndefined();
});
