import { expect, test } from 'vitest';
import { asTyped, type Message } from '../contract/message.ts';
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

test('what the program wrote itself is no prompt of the user, and has no number', () => {
  const prompt = (...content: Extract<Message, { role: 'user' }>['content']): Message => ({
    role: 'user',
    content,
    timestamp: 't',
  });
  const image = { type: 'image' as const, mediaType: 'image/png', data: '' };
  const all = [
    prompt(text('from an older version')),
    prompt(asTyped('fix it')),
    prompt(text('npm test failed: 2 tests. Fix them.')),
    prompt({ ...text('Look at it as a critic would.'), typed: '' }),
    prompt(image),
    prompt({ ...text('and that'), sent: { id: 'p1', by: 'Ada' } }),
  ];
  expect(promptsOf(all).map(({ message }) => message)).toEqual([0, 1, 3, 4, 5]);
  expect(promptNumbered('3', all)?.message).toBe(3);
  expect(promptsOf(all.slice(2, 3)).map(({ message }) => message)).toEqual([0]);
});

test('only a number from the list names a prompt', () => {
  expect(promptNumbered('2', messages)?.message).toBe(2);
  for (const written of ['0', '3', '-1', '1.0', 'one', ''])
    expect(promptNumbered(written, messages)).toBeNull();
});
