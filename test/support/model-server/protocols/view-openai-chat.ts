import { type Json, record, records, type SeenMessage, text, unmarked, type View } from '../protocol.ts';
import { gather } from './gather.ts';

export function viewChat(body: Json): View {
  const messages = records(body.messages);
  return {
    model: text(body.model),
    system: messages
      .filter(isSystem)
      .map((message) => textOf(message.content))
      .join('\n'),
    tools: records(body.tools).map((tool) => text(record(tool.function).name)),
    messages: gather(messages.filter((message) => !isSystem(message)).map(toMessage)),
  };
}

/** Arguments as a value if their text is JSON, else the text itself. */
export function parsedArguments(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return json;
    throw error;
  }
}

function isSystem(message: Json): boolean {
  return message.role === 'system' || message.role === 'developer';
}

function toMessage(message: Json): SeenMessage {
  if (message.role === 'tool') {
    const result = { callId: text(message.tool_call_id), text: unmarked(textOf(message.content)) };
    return { role: 'tool', text: '', calls: [], results: [result] };
  }
  const parts = typeof message.content === 'string' ? [] : records(message.content);
  return {
    role: message.role === 'assistant' ? 'assistant' : 'user',
    text: textOf(message.content),
    calls: records(message.tool_calls).map((call) => ({
      id: text(call.id),
      name: text(record(call.function).name),
      input: parsedArguments(record(call.function).arguments),
    })),
    results: [],
    images: parts.filter((part) => part.type === 'image_url').length,
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .filter((part) => part.type === 'text')
    .map((part) => text(part.text))
    .join('');
}
