import { type Json, record, records, text } from '../protocol.ts';
import { viewOllama } from '../protocols/view-ollama.ts';
import { viewChat } from '../protocols/view-openai-chat.ts';
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

/** The assistant messages of a chat that this server sent, as the same model. */
export function* sentMessages(
  { protocol, body, model, sent }: VendorRequest,
  scope: Returns['scope'],
): Generator<SentMessage> {
  const view = protocol === 'ollama' ? viewOllama : viewChat;
  const messages = records(body.messages);
  const start = scope === 'all' ? 0 : messages.findLastIndex(({ role }) => role === 'user') + 1;
  for (const [index, message] of messages.entries()) {
    if (index < start || message.role !== 'assistant') continue;
    const [seen] = view({ messages: [message] }).messages;
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
  if (field === 'thinking chunk')
    return records(message.content).some((chunk) => record(chunk).type === 'thinking');
  const value = message[field];
  return Array.isArray(value) ? value.length > 0 : text(value) !== '';
}
