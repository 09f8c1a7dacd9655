import {
  type Json,
  list,
  record,
  records,
  type SeenMessage,
  text,
  unmarked,
  type View,
} from '../protocol.ts';
import { gather } from './gather.ts';

export function viewOllama(body: Json): View {
  const messages = records(body.messages);
  return {
    model: text(body.model),
    system: messages
      .filter(isSystem)
      .map((message) => text(message.content))
      .join('\n'),
    tools: records(body.tools).map((tool) => text(record(tool.function).name)),
    messages: gather(messages.filter((message) => !isSystem(message)).map(toMessage)),
  };
}

function isSystem(message: Json): boolean {
  return message.role === 'system';
}

/** A result names its call by id if the client sends one, else by the tool's name. */
function toMessage(message: Json): SeenMessage {
  if (message.role === 'tool') {
    const callId = text(message.tool_call_id) || text(message.tool_name);
    return {
      role: 'tool',
      text: '',
      calls: [],
      results: [{ callId, text: unmarked(text(message.content)) }],
    };
  }
  return {
    role: message.role === 'assistant' ? 'assistant' : 'user',
    text: text(message.content),
    calls: records(message.tool_calls).map((call) => ({
      id: text(call.id),
      name: text(record(call.function).name),
      input: record(call.function).arguments,
    })),
    results: [],
    images: list(message.images).length,
  };
}
