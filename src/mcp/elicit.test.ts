import { expect, test } from 'vitest';
import type { UserQuestion } from '../contract/tool.ts';
import { elicit } from './elicit.ts';

const form = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object' as const,
    properties: {
      name: { type: 'string' as const, title: 'Name', minLength: 2 },
      age: { type: 'integer' as const, minimum: 0, maximum: 150 },
      news: { type: 'boolean' as const, default: false },
      colour: { type: 'string' as const, enum: ['red', 'blue'] },
      pets: { type: 'array' as const, items: { type: 'string' as const, enum: ['cat', 'dog'] } },
    },
    required: ['name'],
  },
};

async function answering(answers: (string | null)[]) {
  const asked: UserQuestion[] = [];
  const result = await elicit('odd', form, {
    ask: async (question) => {
      asked.push(question);
      return answers.shift() ?? null;
    },
    signal: new AbortController().signal,
  });
  return { result, asked };
}

test('a form is filled in field by field, invalid input is asked again, optional fields may stay empty', async () => {
  const { result, asked } = await answering(['answer', 'A', 'Ada', 'old', '36', '', 'Blue', 'cat, dog']);
  expect(result).toEqual({
    action: 'accept',
    content: { name: 'Ada', age: 36, news: false, colour: 'blue', pets: ['cat', 'dog'] },
  });
  expect(asked[0]).toEqual({
    question: 'The MCP server odd asks: Who are you?\nIt asks for: Name, age, news, colour, pets',
    choices: ['answer', 'decline'],
  });
  expect(asked.map(({ question }) => question).slice(1)).toEqual([
    'Name',
    'Name: at least 2 characters',
    'age (may be left empty)',
    'age: a number',
    'news (empty means false)',
    'colour (may be left empty)',
    'pets (may be left empty)',
  ]);
});

test.each<[string, (string | null)[], string]>([
  ['anything but a yes declines', ['no thanks'], 'decline'],
  ['nobody there cancels', [null], 'cancel'],
  ['leaving in the middle cancels, and nothing is sent', ['answer', 'Ada', null], 'cancel'],
  ['three wrong answers cancel', ['answer', 'A', 'B', 'C'], 'cancel'],
])('%s', async (_, answers, action) => {
  expect((await answering(answers)).result).toEqual({ action });
});
