import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGrammarReader, grammarSchema } from './grammar.ts';

function read(...chunks: string[]) {
  const reader = createGrammarReader(['Read']);
  const before = chunks.map((chunk) => reader.push(chunk)).join('');
  const { text, calls } = reader.end();
  return { text: before + text, calls };
}

const reply = '{"say": "I look.", "calls": [{"name": "Read", "arguments": {"file_path": "a"}}]}';

test('a reply that follows the schema is parsed into text and calls, whatever the chunking', () => {
  const expected = { text: 'I look.', calls: [{ name: 'Read', json: '{"file_path":"a"}' }] };
  expect(read(reply)).toEqual(expected);
  expect(read(...reply)).toEqual(expected);
  expect(read('{"say": "Done.", "calls": []}')).toEqual({ text: 'Done.', calls: [] });
});

test('a truncated reply keeps its text', () => {
  expect(read('{"say": "Done.", "calls": [')).toEqual({ text: 'Done.', calls: [] });
});

test('any other reply is read as text, and never dropped', () => {
  expect(read('<tool_call>\n{"name": "Read", "parameters": {}}\n</tool_call>')).toEqual({
    text: '',
    calls: [{ name: 'Read', json: '{}' }],
  });
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes('<tool_call>') && !text.includes('"say"'));
      expect(read(text)).toEqual({ text, calls: [] });
    }),
  );
});

test('the schema lists each tool with its own parameters', () => {
  const parameters = { type: 'object', properties: { file_path: { type: 'string' } } };
  expect(grammarSchema([{ name: 'Read', description: '', parameters }])).toEqual({
    type: 'object',
    properties: {
      say: { type: 'string' },
      calls: {
        type: 'array',
        items: {
          anyOf: [
            {
              type: 'object',
              properties: { name: { type: 'string', enum: ['Read'] }, arguments: parameters },
              required: ['name', 'arguments'],
              additionalProperties: false,
            },
          ],
        },
      },
    },
    required: ['say', 'calls'],
    additionalProperties: false,
  });
});
