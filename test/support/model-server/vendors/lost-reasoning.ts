import { type Json, records, text } from '../protocol.ts';
import { viewAnthropic } from '../protocols/view-anthropic.ts';
import { viewOllama } from '../protocols/view-ollama.ts';
import { viewChat } from '../protocols/view-openai-chat.ts';
import { viewResponses } from '../protocols/view-openai-responses.ts';
import type { VendorRequest, Violation } from './rule.ts';
import type { SentReply } from './sent-replies.ts';

type Returns = {
  /** Any of these fields of an assistant message may hold the reasoning. */
  fields: readonly string[];
  /** `loop`: since the last prompt of the user; `all`: in the whole conversation. */
  scope: 'loop' | 'all';
};

export type SentMessage = { index: number; message: Json; original: SentReply };

/**
 * Messages without `reasoning_content`, except those for which a script had none: the vendor's own models always
 * have some.
 */
export function* withoutReasoning(request: VendorRequest): Generator<{ index: number; message: Json }> {
  const scripted = new Set<number>();
  for (const { index, original } of sentMessages(request, 'all'))
    if (original.thinking === '') scripted.add(index);
  for (const [index, message] of records(request.body.messages).entries()) {
    const isMissing = message.role === 'assistant' && typeof message.reasoning_content !== 'string';
    if (isMissing && !scripted.has(index)) yield { index, message };
  }
}

const VIEWS = {
  anthropic: viewAnthropic,
  ollama: viewOllama,
  'openai-chat': viewChat,
  'openai-responses': viewChat,
  google: viewChat,
};

/** The assistant messages of a chat that this server sent, as the same model. */
export function* sentMessages(
  { protocol, body, model, sent }: VendorRequest,
  scope: Returns['scope'],
): Generator<SentMessage> {
  const messages = records(body.messages);
  const start = scope === 'all' ? 0 : messages.findLastIndex(({ role }) => role === 'user') + 1;
  for (const [index, message] of messages.entries()) {
    if (index < start || message.role !== 'assistant') continue;
    const [seen] = VIEWS[protocol]({ messages: [message] }).messages;
    const original = seen && sent.find(seen.calls, seen.text);
    if (original?.model === model) yield { index, message, original };
  }
}

/** Reasoning that was sent and did not come back. */
export function* lostReasoning(
  request: VendorRequest,
  { fields, scope }: Returns,
): Generator<Extract<Violation, { degraded: string }>> {
  for (const { index, message, original } of sentMessages(request, scope)) {
    if (original.thinking !== '' && !fields.some((field) => hasReasoning(message, field)))
      yield { degraded: `messages[${index}] came back without its reasoning` };
  }
}

function hasReasoning(message: Json, field: string): boolean {
  if (field === '<think>') return text(message.content).includes('<think>');
  if (field === 'thinking part') return records(message.content).some(({ type }) => type === 'thinking');
  const value = message[field];
  return Array.isArray(value) ? value.length > 0 : text(value) !== '';
}

/** Calls that came back over the Responses API without the reasoning items before them. */
export function* lostItems({ protocol, body, model, sent }: VendorRequest): Generator<Violation> {
  if (protocol !== 'openai-responses' || body.store !== false) return;
  const items = records(body.input);
  const lastPrompt = items.findLastIndex(({ role }) => role === 'user');
  for (const { calls, at } of callRuns(items)) {
    const original = sent.find(calls);
    if (at < lastPrompt || original?.model !== model || original.thinking === '') continue;
    const isKept = items.slice(Math.max(0, lastPrompt), at).some(({ type }) => type === 'reasoning');
    if (!isKept) yield { degraded: `input[${at}] came back without the reasoning before it` };
  }
}

type CallRun = { at: number; calls: { name: string; input: unknown }[] };

/** Neighboring calls are of one reply. */
function callRuns(items: readonly Record<string, unknown>[]): CallRun[] {
  const runs: CallRun[] = [];
  for (const [at, item] of items.entries()) {
    if (item.type !== 'function_call') continue;
    const [seen] = viewResponses({ input: [item] }).messages;
    const call = seen?.calls[0] ?? { name: text(item.name), input: undefined };
    const last = runs.at(-1);
    if (last && last.at + last.calls.length === at) last.calls.push(call);
    else runs.push({ at, calls: [call] });
  }
  return runs;
}
