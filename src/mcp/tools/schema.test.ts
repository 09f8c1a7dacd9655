import { expect, test } from 'vitest';
import { parametersFor, shortDescription } from './schema.ts';

test('a schema has an object at its top level, with alternatives merged into it', () => {
  expect(parametersFor({})).toEqual({ type: 'object', properties: {} });
  expect(
    parametersFor({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
      anyOf: [{ properties: { b: { type: 'number' } }, required: ['b'] }, true],
      allOf: [{ properties: { c: {} }, required: ['c', 'a'] }],
    }),
  ).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'number' }, c: {} },
    required: ['a', 'c'],
    additionalProperties: false,
  });
});

test('a description is bounded', () => {
  expect(shortDescription('x'.repeat(4000))).toHaveLength(4000);
  expect(shortDescription('x'.repeat(9000))).toHaveLength(4002);
});
