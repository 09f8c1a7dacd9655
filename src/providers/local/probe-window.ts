import { ProviderError } from '../../contract/errors.ts';
import type { Message } from '../../contract/message.ts';
import { windowIn } from '../errors/overflow.ts';
import type { ProbeReply } from './probe-reply.ts';

/**
 * In tokens. Larger windows are treated as the largest of these: reading more would take a small machine
 * minutes.
 */
const SIZES = [4096, 8192, 16_384, 32_768];
const PATIENCE_MS = 15_000;
const WORD = 'MARIGOLD';
/** One such line is about ten tokens. */
const LINE = 'This line is here to fill the page.\n';
const TOKENS_PER_LINE = 10;

export type SendProbe = (request: {
  messages: Message[];
  maxTokens: number;
}) => Promise<ProbeReply | ProviderError>;

/**
 * Measures the effective window, for servers that don't report it: a word at the start of ever longer prompts
 * must still be known. Undefined if not even the shortest prompt worked.
 */
export async function measureWindow(ask: SendProbe): Promise<number | undefined> {
  let seen: number | undefined;
  for (const size of SIZES) {
    const started = performance.now();
    const reply = await ask({ messages: [longPrompt(size)], maxTokens: 512 });
    if (reply instanceof ProviderError) return windowIn(reply.message) ?? seen;
    if (!`${reply.thought}${reply.text}`.toUpperCase().includes(WORD)) return seen;
    seen = size;
    if (performance.now() - started > PATIENCE_MS) return seen;
  }
  return seen;
}

function longPrompt(tokens: number): Message {
  const lines = Math.floor((tokens * 0.8) / TOKENS_PER_LINE);
  const text = `The secret word is ${WORD}.\n${LINE.repeat(lines)}What is the secret word? Answer with that word only.`;
  return { role: 'user', content: [{ type: 'text', text }], timestamp: new Date().toISOString() };
}
