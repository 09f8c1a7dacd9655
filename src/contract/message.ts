import { randomUUID } from 'node:crypto';
import type { Summary } from './display.ts';

/** The parts of a conversation. Vendor formats never leave `providers/`. */

/** `signature`: as on a thought, for vendors that sign their model's text. */
export type TextPart = { type: 'text'; text: string; signature?: string };

/** `data` is base64. */
export type ImagePart = { type: 'image'; mediaType: string; data: string };

/**
 * `signature` is opaque proof from the vendor that must be sent back unchanged, and only to the vendor named
 * in the message's `provider`. A redacted thought has a signature and no text.
 */
export type ThinkingPart = { type: 'thinking'; text: string; signature?: string; redacted?: true };

/** An action the model requests. The id is the idempotency key: unique within a session. */
export type ToolCall = { id: string; name: string; input: unknown };

/**
 * `malformed` is the raw argument text if it was not a JSON object; `input` is then `{}`. `repeats` is the id
 * of the same call sent earlier by the vendor: it does not run twice. `cut` marks a call the model was still
 * writing when it reached the output limit: it never runs.
 */
export type ToolCallPart = ToolCall & {
  type: 'tool_call';
  malformed?: string;
  repeats?: string;
  cut?: true;
  signature?: string;
};

export type Usage = {
  /** Input tokens that were neither read from nor written to the vendor's prompt cache. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
};

/** Why a model stopped. `cut` is a stream that broke midway: the part that arrived is kept. */
export type StopReason = 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'cut' | 'aborted';

export type UserMessage = { role: 'user'; content: (TextPart | ImagePart)[]; timestamp: string };

export type AssistantMessage = {
  role: 'assistant';
  content: (TextPart | ThinkingPart | ToolCallPart)[];
  provider: string;
  model: string;
  stopReason: StopReason;
  usage?: Usage;
  timestamp: string;
};

/** The answer to exactly one call. */
export type ToolMessage = {
  role: 'tool';
  callId: string;
  name: string;
  success: boolean;
  content: (TextPart | ImagePart)[];
  metadata?: Record<string, unknown>;
  /** For people; never sent to a model. */
  summary?: Summary;
  timestamp: string;
};

export type Message = UserMessage | AssistantMessage | ToolMessage;

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/** The text parts of a message, joined, without thoughts, calls and images. */
export function textOf(message: Message): string {
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

/**
 * The user's own text in a prompt. What the program adds for the model, such as attached files, comes before it;
 * notes after it begin with an empty line.
 */
export function promptText({ content }: Pick<UserMessage, 'content'>): string {
  const texts = content.flatMap((part) =>
    part.type === 'text' && part.text.trim() !== '' ? [part.text] : [],
  );
  return texts.findLast((text) => !text.startsWith('\n\n')) ?? texts.at(-1) ?? '';
}

export function toolCallsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool_call');
}

/** An id for a call whose vendor id is missing or already used. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

/** Whether an id was generated here, so that the vendor does not know it. */
export function isOwnCallId(id: string): boolean {
  return /^call_[0-9a-f]{24}$/.test(id);
}
