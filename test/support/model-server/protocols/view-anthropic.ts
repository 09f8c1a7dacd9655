import { type Json, list, records, type SeenMessage, text, type View } from '../protocol.ts';
import { gather } from './gather.ts';

export function viewAnthropic(body: Json): View {
  return {
    model: text(body.model),
    system: textOf(body.system),
    tools: records(body.tools).map((tool) => text(tool.name)),
    messages: gather(records(body.messages).flatMap(toMessages)),
  };
}

function toMessages(message: Json): SeenMessage[] {
  const blocks = typeof message.content === 'string' ? [] : records(message.content);
  const results = blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      callId: text(block.tool_use_id),
      text: textOf(block.content),
      isError: block.is_error === true,
    }));
  const spoken: SeenMessage = {
    role: message.role === 'assistant' ? 'assistant' : 'user',
    text: textOf(message.content),
    calls: blocks
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({ id: text(block.id), name: text(block.name), input: block.input })),
    results: [],
    images: countImages(blocks),
    signatures: blocks.flatMap((block) => {
      if (block.type === 'thinking') return [text(block.signature)];
      return block.type === 'redacted_thinking' ? [text(block.data)] : [];
    }),
  };
  if (results.length === 0) return [spoken];
  const told: SeenMessage = { role: 'tool', text: '', calls: [], results };
  return spoken.text === '' && spoken.images === 0 ? [told] : [told, spoken];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .filter((block) => block.type === 'text')
    .map((block) => text(block.text))
    .join('');
}

function countImages(blocks: Json[]): number {
  const inResults = blocks.flatMap((block) => (block.type === 'tool_result' ? list(block.content) : []));
  return [...blocks, ...records(inResults)].filter((block) => block.type === 'image').length;
}
