import {
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolMessage,
  textOf,
  toolCallsOf,
  type UserMessage,
} from '../../contract/message.ts';

/** The format of calls: in a `<tool_call>` tag, in a fenced block, or as a reply that is JSON as a whole. */
export type TextFormat = 'xml' | 'fence' | 'grammar';

export type HistoryOptions = { format: TextFormat; resultRole: 'tool' | 'user' };

/** One call in the format that the model should use. */
export function writeCall(
  { name, input, malformed }: Pick<ToolCallPart, 'name' | 'input' | 'malformed'>,
  format: TextFormat,
): string {
  const quoted = JSON.stringify(name);
  const json = malformed ?? JSON.stringify(input ?? {});
  if (format === 'grammar') return `{"name": ${quoted}, "arguments": ${json}}`;
  return format === 'xml'
    ? `<tool_call>\n{"name": ${quoted}, "parameters": ${json}}\n</tool_call>`
    : `\`\`\`tool_call\n{"name": ${quoted}, "arguments": ${json}}\n\`\`\``;
}

/** A whole reply as JSON: its text and the calls. */
export function writeReply(say: string, calls: readonly Parameters<typeof writeCall>[0][]): string {
  return `{"say": ${JSON.stringify(say)}, "calls": [${calls.map((call) => writeCall(call, 'grammar')).join(', ')}]}`;
}

/**
 * The conversation for a model without native calls: they are written into the assistant's text. If results
 * are user messages, adjacent user messages are merged, since many chat templates require alternating turns.
 */
export function writeHistory(
  messages: readonly Message[],
  { format, resultRole }: HistoryOptions,
): Message[] {
  const written: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      written.push(format === 'grammar' ? writeJson(message) : writeAssistant(message, format));
      continue;
    }
    if (message.role === 'tool' && resultRole === 'tool') {
      written.push(message);
      continue;
    }
    const user = message.role === 'tool' ? writeResult(message) : message;
    const last = written.at(-1);
    if (last?.role !== 'user') written.push(user);
    else written[written.length - 1] = { ...last, content: [...last.content, ...user.content] };
  }
  return written;
}

function writeJson(message: AssistantMessage): AssistantMessage {
  const thoughts = message.content.filter((part) => part.type === 'thinking');
  const text = writeReply(textOf(message), toolCallsOf(message));
  return { ...message, content: [...thoughts, { type: 'text', text }] };
}

function writeAssistant(message: AssistantMessage, format: TextFormat): AssistantMessage {
  const content: AssistantMessage['content'] = [];
  for (const part of message.content) {
    const last = content.at(-1);
    if (part.type !== 'tool_call') content.push(part);
    else if (last?.type !== 'text') content.push({ type: 'text', text: writeCall(part, format) });
    else {
      const text = `${last.text.trimEnd()}\n\n${writeCall(part, format)}`;
      content[content.length - 1] = { type: 'text', text };
    }
  }
  return { ...message, content };
}

function writeResult({ name, success, content, timestamp }: ToolMessage): UserMessage {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const label = success ? `[Result of ${name}]` : `[${name} failed]`;
  return {
    role: 'user',
    content: [
      { type: 'text', text: `${label}\n${text || '(no output)'}\n[End of result]` },
      ...content.filter((part) => part.type === 'image'),
    ],
    timestamp,
  };
}
