import fc from 'fast-check';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../src/contract/message.ts';

const AT = '2026-01-01T00:00:00.000Z';

export function prompt(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: AT };
}

type Call = { id: string; name: string; input: unknown };

export function reply(text: string, ...calls: Call[]): AssistantMessage {
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({ type: 'tool_call' as const, ...call })),
    ],
    provider: 'p',
    model: 'm',
    stopReason: calls.length > 0 ? 'tool_calls' : 'end',
    timestamp: AT,
  };
}

export function answer(
  id: string,
  name: string,
  text: string,
  changes: Partial<ToolMessage> = {},
): ToolMessage {
  return {
    role: 'tool',
    callId: id,
    name,
    success: true,
    content: [{ type: 'text', text }],
    timestamp: AT,
    ...changes,
  };
}

const file = fc.constantFrom('a.ts', 'b/c.ts', './a.ts', 'big.log');
const lines = fc
  .nat(120)
  .map((count) => Array.from({ length: count }, (_, i) => `line ${i} 😀 of it`).join('\n'));
const call = fc.oneof(
  fc.record({
    name: fc.constant('Read'),
    input: fc.record({ file_path: file, offset: fc.constantFrom(0, 5) }),
  }),
  fc.record({ name: fc.constant('Read'), input: fc.record({ file_path: file, limit: fc.nat(20) }) }),
  fc.record({
    name: fc.constant('Edit'),
    input: fc.record({ file_path: file, old_string: lines, new_string: lines }),
  }),
  fc.record({ name: fc.constant('Write'), input: fc.record({ file_path: file, content: lines }) }),
  fc.record({ name: fc.constant('Bash'), input: fc.record({ command: fc.string({ maxLength: 30 }) }) }),
);
const turn = fc.record({
  asks: fc.boolean(),
  text: fc.string({ maxLength: 60 }),
  calls: fc.array(fc.record({ call, output: fc.nat(15_000), success: fc.boolean() }), { maxLength: 4 }),
});

/** Conversations as the loop writes them: the user starts, and every call is answered immediately. */
export const histories: fc.Arbitrary<Message[]> = fc
  .array(turn, { minLength: 1, maxLength: 14 })
  .map((turns) =>
    turns.flatMap(({ asks, text, calls }, t): Message[] => {
      const made = calls.map((one, c) => ({ ...one.call, id: `${t}.${c}` }));
      return [
        ...(asks || t === 0 ? [prompt(`ask ${t} ${text}`)] : []),
        reply(`say ${t}`, ...made),
        ...made.map(({ id, name }, c) => {
          const { output = 0, success = true } = calls[c] ?? {};
          return answer(id, name, `${t}.${c} ${'word '.repeat(output / 5)}`, { success });
        }),
      ];
    }),
  );

/** Ids of calls and of results, in order. */
export function pairs(messages: readonly Message[]): { calls: string[]; answers: string[] } {
  return {
    calls: messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
        : [],
    ),
    answers: messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])),
  };
}

/** The approximate number of characters sent for the messages. */
export function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
}
