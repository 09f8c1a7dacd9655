import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from '../contract/message.ts';

/** How calls are written: in a `<tool_call>` tag, or in a fenced block. */
export type TextFormat = 'xml' | 'fence';

/** One call as the model should have written it. */
export function writeCall(
  { name, input, malformed }: Pick<ToolCallPart, 'name' | 'input' | 'malformed'>,
  format: TextFormat,
): string {
  const quoted = JSON.stringify(name);
  const json = malformed ?? JSON.stringify(input ?? {});
  return format === 'xml'
    ? `<tool_call>\n{"name": ${quoted}, "parameters": ${json}}\n</tool_call>`
    : `\`\`\`tool_call\n{"name": ${quoted}, "arguments": ${json}}\n\`\`\``;
}

/**
 * The conversation for a model that knows no tool role: calls are written into the assistant's text, results
 * come from the user. Neighbouring user messages become one, since many chat templates insist on turns.
 */
export function writeHistory(messages: readonly Message[], format: TextFormat): Message[] {
  const written: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      written.push(writeAssistant(message, format));
      continue;
    }
    const user = message.role === 'tool' ? writeResult(message) : message;
    const last = written.at(-1);
    if (last?.role !== 'user') written.push(user);
    else written[written.length - 1] = { ...last, content: [...last.content, ...user.content] };
  }
  return written;
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
