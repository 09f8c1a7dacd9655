import { expect, test } from 'vitest';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../contract/message.ts';
import { writeCall, writeHistory } from './history.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const user = (...texts: string[]): UserMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
  timestamp,
});
const assistant = (...content: AssistantMessage['content']): AssistantMessage => ({
  role: 'assistant',
  content,
  provider: 'local',
  model: 'r1',
  stopReason: 'tool_calls',
  timestamp,
});
const result = (name: string, text: string, success = true): ToolMessage => ({
  role: 'tool',
  callId: `${name}-1`,
  name,
  success,
  content: text === '' ? [] : [{ type: 'text', text }],
  timestamp,
});
const call = (name: string, input: unknown) => ({ type: 'tool_call' as const, id: `${name}-1`, name, input });

test('a call is written as a tag with parameters [V08] or as a fence with arguments [R04]', () => {
  expect(writeCall({ name: 'Read', input: { file_path: 'a' } }, 'xml')).toBe(
    '<tool_call>\n{"name": "Read", "parameters": {"file_path":"a"}}\n</tool_call>',
  );
  expect(writeCall({ name: 'Read', input: { file_path: 'a' } }, 'fence')).toBe(
    '```tool_call\n{"name": "Read", "arguments": {"file_path":"a"}}\n```',
  );
});

test('arguments that were not valid JSON are shown to the model as written', () => {
  expect(writeCall({ name: 'Read', input: {}, malformed: '{"file_path": ' }, 'xml')).toContain(
    '"parameters": {"file_path": }',
  );
});

test('calls become text, and results user messages, one per turn [R06] [Y36]', () => {
  const history: Message[] = [
    user('fix it'),
    assistant(
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Looking.\n' },
      call('Read', { file_path: 'a' }),
      call('Bash', { command: 'ls' }),
    ),
    result('Read', '1\tx'),
    result('Bash', 'no such command', false),
    result('Glob', ''),
    user('and be quick'),
    assistant(call('Read', {})),
  ];

  expect(writeHistory(history, { format: 'xml', resultRole: 'user' })).toEqual([
    user('fix it'),
    assistant(
      { type: 'thinking', text: 'hm' },
      {
        type: 'text',
        text: [
          'Looking.\n',
          '<tool_call>\n{"name": "Read", "parameters": {"file_path":"a"}}\n</tool_call>\n',
          '<tool_call>\n{"name": "Bash", "parameters": {"command":"ls"}}\n</tool_call>',
        ].join('\n'),
      },
    ),
    user(
      '[Result of Read]\n1\tx\n[End of result]',
      '[Bash failed]\nno such command\n[End of result]',
      '[Result of Glob]\n(no output)\n[End of result]',
      'and be quick',
    ),
    assistant({ type: 'text', text: '<tool_call>\n{"name": "Read", "parameters": {}}\n</tool_call>' }),
  ]);
});

test('an image returned by a tool follows its text', () => {
  const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
  const shot = result('Read', 'a picture');
  expect(
    writeHistory([{ ...shot, content: [image, ...shot.content] }], { format: 'fence', resultRole: 'user' }),
  ).toEqual([
    {
      role: 'user',
      content: [{ type: 'text', text: '[Result of Read]\na picture\n[End of result]' }, image],
      timestamp,
    },
  ]);
});

test('a history without tools is unchanged', () => {
  const history = [
    user('hi'),
    assistant({ type: 'text', text: 'a' }, { type: 'text', text: 'b' }),
    user('ok'),
  ];
  expect(writeHistory(history, { format: 'xml', resultRole: 'user' })).toEqual(history);
});

test('[Y36] if the profile says so, results stay tool messages, and only calls become text', () => {
  const timestamp = '2026-01-01T00:00:00Z';
  const call: Message = {
    role: 'assistant',
    content: [{ type: 'tool_call', id: 'c', name: 'Read', input: { file_path: 'a' } }],
    provider: 'p',
    model: 'm',
    stopReason: 'tool_calls',
    timestamp,
  };
  const result: Message = {
    role: 'tool',
    callId: 'c',
    name: 'Read',
    success: true,
    content: [{ type: 'text', text: 'alpha' }],
    timestamp,
  };
  const text = '<tool_call>\n{"name": "Read", "parameters": {"file_path":"a"}}\n</tool_call>';
  expect(writeHistory([call, result], { format: 'xml', resultRole: 'tool' })).toEqual([
    { ...call, content: [{ type: 'text', text }] },
    result,
  ]);
  const json = '{"say": "", "calls": [{"name": "Read", "arguments": {"file_path":"a"}}]}';
  expect(writeHistory([call], { format: 'grammar', resultRole: 'user' })).toEqual([
    { ...call, content: [{ type: 'text', text: json }] },
  ]);
});
