import { expect, test } from 'vitest';
import type { Message, ToolCallPart } from '../../contract/message.ts';
import { itemLines } from './components/transcript.ts';
import { unknownStatus } from './initial-status.ts';
import { lastItems } from './repaint.ts';
import { themeOf } from './theme/theme.ts';
import { emptyView, reduceView } from './view/store.ts';
import type { Line } from './view/types.ts';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp: '' });
const reply = (...content: Extract<Message, { role: 'assistant' }>['content']): Message => ({
  role: 'assistant',
  content,
  provider: 'p',
  model: 'm',
  stopReason: 'end',
  timestamp: '',
});
const says = (text: string) => reply({ type: 'text', text });
const call = (id: string, name: string, input: object): ToolCallPart => ({
  type: 'tool_call',
  id,
  name,
  input,
});
const result = (callId: string, text: string, more: object = {}): Message => ({
  role: 'tool',
  callId,
  name: 'Bash',
  success: true,
  content: [{ type: 'text', text }],
  timestamp: '',
  ...more,
});
const plain = (text: string): Line[] => text.split('\n').map((line) => [{ text: line }]);
const room = { columns: 80, theme: themeOf('dark', 'none') };

function shown(messages: readonly Message[], rows = 1_000) {
  const { items, earlier } = lastItems(messages, { room, rows, markdown: plain });
  const { finished } = reduceView(emptyView(unknownStatus), { type: 'restored', items }, 0);
  const lines = finished.flatMap((item) => itemLines(item, room));
  return { earlier, lines: lines.map((line) => line.map(({ text }) => text).join('')) };
}

test('prompts, answers, calls with their results and interruptions look as they did', () => {
  const { lines, earlier } = shown([
    user('fix it'),
    reply({ type: 'thinking', text: 'hm' }, call('1', 'Bash', { command: 'make' })),
    result('1', 'built', { metadata: { command: 'make', exitCode: 0 } }),
    reply(call('2', 'Edit', { file_path: 'a.ts', old_string: 'let x', new_string: 'const x' })),
    result('2', 'Replaced.'),
    reply(call('3', 'server:ask', { question: 'why' })),
    result('3', 'no route', { success: false }),
    user('go on'),
    { ...says('Half of'), stopReason: 'aborted' } as Message,
  ]);
  const text = lines.join('\n');
  expect(earlier).toBe(0);
  for (const row of ['> fix it', '> go on', 'Half of', '  built', '- let x', '+ const x', '  no route'])
    expect(text).toContain(row);
  expect(text).toMatch(/Bash make[\s\S]*Edit a\.ts[\s\S]*server:ask why[\s\S]*Half of[\s\S]*Interrupted\./);
  expect(text).not.toContain('hm');
  expect(text).not.toContain('Replaced.');
});

test('the text that the program added to a prompt is not shown', () => {
  const content = ['[The mode is plan.]', 'do it', '\n\n<memory>\nNotes\n</memory>'].map((text) => ({
    type: 'text' as const,
    text,
  }));
  expect(shown([{ role: 'user', content, timestamp: '' }]).lines).toEqual(['', '> do it']);
});

test('only the end is rendered, however long the conversation is', () => {
  let rendered = 0;
  const markdown = (text: string) => {
    rendered += 1;
    return plain(text);
  };
  const messages = Array.from({ length: 10_000 }, (_, i) => (i % 2 === 0 ? user(`p${i}`) : says(`a${i}`)));
  const { items, earlier } = lastItems(messages, { room, rows: 48, markdown });
  expect(items.at(-1)).toEqual({ type: 'answer', lines: [[{ text: 'a9999' }]], first: true });
  expect({ rendered, earlier }).toEqual({ rendered: 12, earlier: 9_976 });
});

test('a last answer longer than the room for it is shown from its end', () => {
  const long = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n');
  const { lines, earlier } = shown([user('tell me'), says(long)], 48);
  expect({ earlier, last: lines.at(-1), rows: lines.length }).toEqual({
    earlier: 1,
    last: 'line 499',
    rows: 49,
  });
});

test('calls that only look at something are folded as they were', () => {
  const looks = Array.from({ length: 40 }, (_, i) => [
    reply(call(`r${i}`, 'Read', { file_path: `src/${i}.ts` })),
    result(`r${i}`, 'text', { name: 'Read', summary: { kind: 'count', unit: 'line', count: 3 } }),
  ]).flat();
  const { lines, earlier } = shown([user('look'), ...looks, says('Seen.')], 48);
  expect({ lines, earlier }).toEqual({
    lines: ['', '> look', '', '✓ Explored: read 40 files (ctrl+o)', '', 'Seen.'],
    earlier: 0,
  });
});
