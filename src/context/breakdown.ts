import type { WindowUse } from '../contract/command.ts';
import { type Message, type ToolCallPart, textOf, toolCallsOf } from '../contract/message.ts';
import { filesOf } from './known-tools.ts';

export type Sent = {
  system: string;
  /** The part of the system prompt that comes from files. */
  instructions: string;
  tools: string;
  /** The notes that were added to prompts. */
  memory: string;
  summary: string;
  /** The part of the summary that is kept verbatim. */
  kept: string;
  messages: readonly Message[];
};

type Count = { text(text: string): number; message(message: Message): number };

const BIGGEST = 5;

/** Where a request's tokens go, by part and by biggest item. */
export function breakdown(sent: Sent, count: Count): Pick<WindowUse, 'parts' | 'biggest'> {
  // An absent part takes nothing, whatever an estimate rounds up to.
  const tokensOf = (text: string) => (text === '' ? 0 : count.text(text));
  const instructions = tokensOf(sent.instructions);
  const kept = tokensOf(sent.kept);
  const memory = tokensOf(sent.memory);
  const calls = new Map<string, ToolCallPart>();
  const sums = { messages: 0, results: 0 };
  const items = sent.messages.map((message) => {
    if (message.role === 'assistant') for (const call of toolCallsOf(message)) calls.set(call.id, call);
    const tokens = count.message(message);
    sums[KINDS[message.role]] += tokens;
    return { name: nameOf(message, calls), tokens };
  });
  const parts = [
    { name: 'system prompt', tokens: tokensOf(sent.system) - instructions },
    { name: 'instructions', tokens: instructions },
    { name: 'tools', tokens: tokensOf(sent.tools) },
    { name: 'memory', tokens: memory },
    { name: 'summary', tokens: tokensOf(sent.summary) - kept },
    { name: 'pins, tasks, files', tokens: kept },
    { name: 'messages', tokens: sums.messages - memory },
    { name: 'tool results', tokens: sums.results },
  ];
  return {
    parts: parts.map(({ name, tokens }) => ({ name, tokens: Math.max(0, Math.round(tokens)) })),
    biggest: items
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, BIGGEST)
      .map(({ name, tokens }) => ({ name, tokens: Math.round(tokens) })),
  };
}

const KINDS = { user: 'messages', assistant: 'messages', tool: 'results' } as const;
const NAME_LENGTH = 60;

function nameOf(message: Message, calls: ReadonlyMap<string, ToolCallPart>): string {
  const name =
    message.role === 'tool' ? resultName(message.name, calls.get(message.callId)) : spoken(message);
  const line = name.replaceAll(/\s+/g, ' ').trim();
  return line.length > NAME_LENGTH ? `${line.slice(0, NAME_LENGTH - 1)}…` : line;
}

function resultName(tool: string, call: ToolCallPart | undefined): string {
  return `${tool} ${filesOf(call?.input)[0] ?? JSON.stringify(call?.input ?? {})}`;
}

function spoken(message: Message): string {
  const calls = message.role === 'assistant' ? toolCallsOf(message).map(({ name }) => name) : [];
  const said = textOf(message);
  return `${message.role === 'user' ? 'prompt' : 'reply'}: ${said === '' ? calls.join(', ') : said}`;
}
