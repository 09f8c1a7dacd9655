import { randomUUID } from 'node:crypto';
import type { Summary } from './display.ts';
import type { EffortChoice } from './request/effort.ts';
import type { ToolDefinition } from './request/tool-definition.ts';

/** The parts of a conversation. Vendor formats never leave `providers/`. */

/**
 * `signature`: as on a thought, for vendors that sign their model's text. `phase`: as the vendor labeled its model's text,
 * to be sent back to it. `sent` marks what a person sent to a session
 * with several participants; its images follow it. `typed`: the user wrote it, or these words of it; without it, the
 * program did. `origin`: what printed or sent the text that the program put into a prompt. `update`: announces a change
 * of the surroundings. Only the text is sent to a model, and the tools of an update where the vendor takes them.
 */
export type TextPart = {
  type: 'text';
  text: string;
  signature?: string;
  phase?: TextPhase;
  sent?: Sent;
  typed?: true | string;
  origin?: TextOrigin;
  update?: Update;
} & Continues;

/**
 * A change of the surroundings: `states` names what the text states from now on (null: no longer), for comparison with
 * later changes. `trusted`: the text is in the program's own words alone. `tools` were added to, or removed from, those
 * of the prefix.
 */
type Update = {
  states: Readonly<Record<string, string | null>>;
  trusted?: true;
  tools?: { added: readonly ToolDefinition[]; removed: readonly string[] };
};

/** A note while the model works, or its answer. */
export type TextPhase = 'commentary' | 'final_answer';

/** A prompt of its own: its id, and the name of who sent it. */
export type Sent = { id: string; by?: string };

/** A command that printed a text, the address of a resource, or what others wrote and the user passed on. */
type TextOrigin = { kind: 'command' | 'resource' | 'others'; name: string };

/** `data` is base64. */
export type ImagePart = { type: 'image'; mediaType: string; data: string };

/**
 * `signature` is opaque proof from the vendor that must be sent back unchanged, and only to the vendor named
 * in the message's `provider`. A redacted thought has a signature and no text. `note`: the text is a progress note for
 * people, which its vendor wants back as a thought.
 */
export type ThinkingPart = {
  type: 'thinking';
  text: string;
  signature?: string;
  redacted?: true;
  note?: true;
} & Continues;

/**
 * Before this part the reply broke off, and the program asked the model to continue with these words. A provider gets
 * it as what it was: a reply, a prompt, and another reply.
 */
type Continues = { continues?: string };

/** An action the model requests. The id is the idempotency key: unique within a session. */
export type ToolCall = { id: string; name: string; input: unknown };

/**
 * `malformed` is the raw argument text if it was not a JSON object; `input` is then `{}`. `repaired` is the start of the call
 * as the model sent it, if it was not valid and had exactly one reading, which `name` and `input` are. `repeats` is the id
 * of the same call sent earlier by the vendor: it does not run twice. `cut` marks a call the model was still
 * writing when it reached the output limit: it never runs.
 */
export type ToolCallPart = ToolCall &
  Continues & {
    type: 'tool_call';
    malformed?: string;
    repaired?: string;
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
  /** Those of `cacheWriteTokens` that stay cached for an hour. */
  cacheWriteHourTokens?: number;
};

/** Why a model stopped. `cut` is a stream that broke midway: the part that arrived is kept. */
export type StopReason = 'end' | 'tool_calls' | 'max_tokens' | 'refusal' | 'cut' | 'aborted';

export type UserMessage = {
  role: 'user';
  content: (TextPart | ImagePart)[];
  /** How hard the model should think from this prompt on, if that changed. */
  effort?: EffortChoice;
  timestamp: string;
};

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
  const hour = (a.cacheWriteHourTokens ?? 0) + (b.cacheWriteHourTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    ...(hour > 0 && { cacheWriteHourTokens: hour }),
  };
}

/** The text of a message: its text parts, and its progress notes as paragraphs, without thoughts, calls and images. */
export function textOf(message: Message): string {
  const said = message.content.flatMap((part) =>
    part.type === 'text' || (part.type === 'thinking' && part.note) ? [part] : [],
  );
  return said
    .map((part, i) =>
      (part.type !== said[i - 1]?.type || part.type === 'thinking') && i > 0 ? `\n\n${part.text}` : part.text,
    )
    .join('');
}

/** A part as people read it: a progress note is text. */
export function readablePart<Part extends Message['content'][number]>(part: Part): Part | TextPart {
  return part.type === 'thinking' && part.note ? { type: 'text', text: part.text } : part;
}

/**
 * A prompt as people are shown it: without what the program adds for the model, such as attached files. Journals of
 * older versions do not say what was typed; notes of the program begin with an empty line there.
 */
export function promptText({ content }: Pick<UserMessage, 'content'>): string {
  const parts = content.filter((part) => part.type === 'text').filter(({ text }) => text.trim() !== '');
  const shown =
    parts.findLast(({ typed }) => typed !== undefined) ??
    parts.findLast(({ text }) => !text.startsWith('\n\n')) ??
    parts.at(-1);
  return shown?.text ?? '';
}

/** What the user wrote of a prompt, and nothing that the program wrote, such as the report of a failed check. */
export function typedText({ content }: Pick<UserMessage, 'content'>): string {
  return content.flatMap((part) => (part.type === 'text' ? typedIn(part) : [])).join('\n');
}

function typedIn({ text, typed }: TextPart): string[] {
  if (typed === undefined) return [];
  return [typed === true ? text : typed];
}

/** A text that the user wrote. */
export function asTyped(text: string): TextPart {
  return { type: 'text', text, typed: true };
}

/** The same parts, of which the user wrote no more than these words. */
export function withTyped(content: UserMessage['content'], words: string): UserMessage['content'] {
  const first = content.findIndex(({ type }) => type === 'text');
  return content.map((part, i) => {
    if (part.type !== 'text') return part;
    const { typed: _, ...plain } = part;
    return i === first && words !== '' ? { ...plain, typed: words } : plain;
  });
}

export function toolCallsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool_call');
}

/** The names of all calls by their ids, as the models wrote them; a result may have the name of the tool that ran. */
export function namesOfCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? toolCallsOf(message).map(({ id, name }) => [id, name] as const) : [],
    ),
  );
}

/** An id for a call whose vendor id is missing or already used. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

/** Whether an id was generated here, so that the vendor does not know it. */
export function isOwnCallId(id: string): boolean {
  return /^call_[0-9a-f]{24}$/.test(id);
}
