import type { Message } from '../contract/message.ts';
import type { CompletionRequest } from '../contract/provider.ts';

const CHARACTERS_PER_TOKEN = 3.5;
const TOKENS_PER_IMAGE = 1600;

/** How many tokens a request would take, where the vendor cannot say: rather too many than too few. */
export function estimateTokens({ system, messages, tools = [] }: CompletionRequest): number {
  const tokens = messages.flatMap((message) => message.content.map(tokensOf));
  const fixed = (system.length + JSON.stringify(tools).length) / CHARACTERS_PER_TOKEN;
  return Math.ceil(tokens.reduce((sum, count) => sum + count, fixed));
}

function tokensOf(part: Message['content'][number]): number {
  if (part.type === 'image') return TOKENS_PER_IMAGE;
  const length = part.type === 'tool_call' ? JSON.stringify(part.input ?? {}).length : part.text.length;
  return length / CHARACTERS_PER_TOKEN;
}
