import { expect, test } from 'vitest';
import type { Message } from '../contract/message.ts';
import { promptNumbered, promptsOf } from './prompts.ts';

const text = (words: string) => ({ type: 'text' as const, text: words });
const messages: Message[] = [
  { role: 'user', content: [text('first\nand more')], timestamp: 't0' },
  { role: 'assistant', content: [text('ok')], provider: 'a', model: 'b', stopReason: 'end', timestamp: 't1' },
  { role: 'user', content: [text('The mode is plan now.'), text(`  ${'x'.repeat(80)}`)], timestamp: 't2' },
];

test('prompts are identified by their first line, short enough to list', () => {
  expect(promptsOf(messages)).toEqual([
    { message: 0, at: 't0', line: 'first' },
    { message: 2, at: 't2', line: `${'x'.repeat(59)}…` },
  ]);
});

test('only a number from the list names a prompt', () => {
  expect(promptNumbered('2', messages)?.message).toBe(2);
  for (const written of ['0', '3', '-1', '1.0', 'one', ''])
    expect(promptNumbered(written, messages)).toBeNull();
});
