import { expect, test } from 'vitest';
import { fitTypes } from './fit-types.ts';

const tools = [
  {
    name: 'Read',
    description: '',
    parameters: {
      type: 'object',
      properties: {
        file_path: { type: 'string' },
        offset: { type: 'integer' },
        all: { type: 'boolean' },
        parts: { type: 'array' },
      },
    },
  },
];

const fitted = (input: unknown, name = 'Read') =>
  JSON.parse(fitTypes({ name, json: JSON.stringify(input) }, tools).json) as unknown;

test("values are converted to the tool's type if their meaning is unambiguous", () => {
  expect(fitted({ file_path: 42, offset: '10', all: 'True', parts: "[1, 'a']" })).toEqual({
    file_path: '42',
    offset: 10,
    all: true,
    parts: [1, 'a'],
  });
});

test('anything else stays as written', () => {
  const odd = { file_path: '10', offset: 'ten', all: 'maybe', parts: 'a, b', more: '7' };
  expect(fitted(odd)).toEqual(odd);
  expect(fitted({ offset: '1' }, 'Unknown')).toEqual({ offset: '1' });
  expect(fitTypes({ name: 'Read', json: '{"offset": ' }, tools).json).toBe('{"offset": ');
});
