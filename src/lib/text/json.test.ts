import { expect, test } from 'vitest';
import { parseJson, parseObject } from './json.ts';

test.each([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ['[1]', [1], undefined],
  ['null', null, undefined],
  ['"text"', 'text', undefined],
  ['', undefined, undefined],
  ['{"a":', undefined, undefined],
])('%j is parsed as %j, and as an object %j', (text, value, object) => {
  expect(parseJson(text)).toEqual(value);
  expect(parseObject(text)).toEqual(object);
});
