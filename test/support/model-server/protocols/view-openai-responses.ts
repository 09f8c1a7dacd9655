import { type Json, records, type SeenMessage, text, unmarked, type View } from '../protocol.ts';
import { gather } from './gather.ts';
import { parsedArguments } from './view-openai-chat.ts';

export function viewResponses(body: Json): View {
  const items =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : records(body.input);
  const told = items.filter(isSystem).map((item) => textOf(item.content));
  return {
    model: text(body.model),
    system: [text(body.instructions), ...told].filter((part) => part !== '').join('\n'),
    tools: records(body.tools).map((tool) => text(tool.name)),
    messages: gather(items.filter((item) => !isSystem(item)).map(toMessage)),
  };
}

function isSystem(item: Json): boolean {
  return item.role === 'system' || item.role === 'developer';
}

function toMessage(item: Json): SeenMessage {
  const empty = { text: '', calls: [], results: [] };
  switch (item.type) {
    case 'function_call': {
      const call = { id: text(item.call_id), name: text(item.name), input: parsedArguments(item.arguments) };
      return { ...empty, role: 'assistant', calls: [call] };
    }
    case 'function_call_output': {
      const result = { callId: text(item.call_id), text: unmarked(textOf(item.output)) };
      return { ...empty, role: 'tool', results: [result], images: countImages(item.output) };
    }
    case 'reasoning': {
      const proof = text(item.encrypted_content);
      return { ...empty, role: 'assistant', signatures: proof === '' ? [] : [proof] };
    }
    default:
      return {
        ...empty,
        role: item.role === 'assistant' ? 'assistant' : 'user',
        text: textOf(item.content),
        images: countImages(item.content),
      };
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .filter((part) => part.type === 'input_text' || part.type === 'output_text')
    .map((part) => text(part.text))
    .join('');
}

function countImages(content: unknown): number {
  return records(content).filter((part) => part.type === 'input_image').length;
}
