import { expect, test } from 'vitest';
import { type AssistantMessage, readablePart, textOf } from './message.ts';

const note = (text: string) => ({ type: 'thinking' as const, text, signature: 's', note: true as const });
const thought = { type: 'thinking' as const, text: 'reasoning' };
const text = (said: string) => ({ type: 'text' as const, text: said });
const call = { type: 'tool_call' as const, id: 'a', name: 'Read', input: {} };

test.each<[string, AssistantMessage['content']]>([
  ['', []],
  ['ab', [text('a'), text('b')]],
  ['Reading.', [thought, note('Reading.'), call]],
  ['One.\n\nTwo.', [note('One.'), thought, note('Two.')]],
  ['One.\n\nab\n\nTwo.', [note('One.'), text('a'), thought, text('b'), note('Two.')]],
])('%j is the text of a message: notes are paragraphs, reasoning is not there', (expected, content) => {
  const timestamp = '2026-01-01T00:00:00Z';
  const message = {
    role: 'assistant' as const,
    content,
    provider: 'p',
    model: 'm',
    stopReason: 'end' as const,
    timestamp,
  };
  expect(textOf(message)).toBe(expected);
});

test('people read a note as text, and everything else as it is', () => {
  expect([note('One.'), thought, text('a'), call].map(readablePart)).toEqual([
    text('One.'),
    thought,
    text('a'),
    call,
  ]);
});
