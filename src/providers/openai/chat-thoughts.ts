import { type AssistantMessage, type ThinkingPart, textOf, toolCallsOf } from '../../contract/message.ts';
import { isObject, parseJson } from '../../lib/text/json.ts';

/**
 * Where a vendor takes its model's earlier thinking: in a field of the assistant message, in both fields (servers whose
 * versions differ), as OpenRouter's signed list, or as chunks of the content.
 */
type ThoughtsBackAs = 'reasoning_content' | 'reasoning' | 'both' | 'reasoning_details' | 'chunks';

export type ThoughtQuirks = {
  /** Wants its earlier thinking back, in this form. */
  thoughtsBackAs?: ThoughtsBackAs;
  /** Rejects messages without thinking (if tools are offered: all of them, or those with calls); it may be empty. */
  thoughtsRequired?: 'all' | 'calls';
};

type Thoughts = {
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: unknown[];
  content?: object[];
};

export type ThoughtOptions = {
  /** The provider and model that get the message. */
  name: string;
  model: string;
  quirks: ThoughtQuirks;
  hasTools: boolean;
};

/** The fields that carry a message's thinking back to the vendor that wrote it. */
export function thoughtsToWire(
  message: AssistantMessage,
  { name, model, quirks, hasTools }: ThoughtOptions,
): Thoughts {
  const { thoughtsBackAs: form, thoughtsRequired } = quirks;
  if (!form) return {};
  const own = message.provider === name;
  const text = own ? thinkingIn(message) : '';
  const required =
    (thoughtsRequired === 'all' && hasTools) ||
    (thoughtsRequired === 'calls' && toolCallsOf(message).length > 0);
  if (form === 'chunks') return text === '' ? {} : { content: toChunks(message, message.model === model) };
  if (form === 'reasoning_details') {
    // Signatures are valid only for the model that made them.
    const details = own && message.model === model ? detailsIn(message) : [];
    if (details.length > 0) return { reasoning_details: details };
  }
  if (text === '' && !required) return {};
  return {
    ...(form !== 'reasoning' && form !== 'reasoning_details' && { reasoning_content: text }),
    ...(form !== 'reasoning_content' && { reasoning: text }),
  };
}

function thinkingIn({ content }: AssistantMessage): string {
  return content.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('');
}

/** `signed`: by the model that gets the message. */
function toChunks(message: AssistantMessage, signed: boolean): object[] {
  const text = textOf(message);
  const thoughts = message.content.filter(
    (part): part is ThinkingPart => part.type === 'thinking' && part.text !== '',
  );
  return [
    ...thoughts.map(({ text: thought, signature }) => ({
      type: 'thinking',
      thinking: [{ type: 'text', text: thought }],
      ...(signed && signature !== undefined && { signature }),
    })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
}

/** `ThinkingPart.signature` has them as JSON. */
function detailsIn({ content }: AssistantMessage): unknown[] {
  return content.flatMap((part) => {
    const details = part.type === 'thinking' ? parseJson(part.signature ?? '') : undefined;
    return Array.isArray(details) ? details : [];
  });
}

export type Detail = Record<string, unknown>;

/** Adds the details of one frame: fragments of one detail have the same type and index, one after the other. */
export function collectDetails(details: Detail[], pieces: unknown): void {
  for (const piece of Array.isArray(pieces) ? pieces : []) {
    if (!isObject(piece)) continue;
    const last = details.at(-1);
    if (!last || last.type !== piece.type || last.index !== piece.index || piece.data !== undefined) {
      details.push({ ...piece });
      continue;
    }
    for (const [name, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue;
      const soFar = last[name];
      const isText = (name === 'text' || name === 'summary') && typeof soFar === 'string';
      last[name] = isText ? soFar + String(value) : value;
    }
  }
}

/** The readable text of these details, for replies that have it nowhere else. */
export function textOfDetails(pieces: unknown): string {
  const texts = (Array.isArray(pieces) ? pieces : []).map((piece: unknown) => {
    const { text, summary }: Detail = isObject(piece) ? piece : {};
    return [text, summary].find((value) => typeof value === 'string') ?? '';
  });
  return texts.join('');
}

/**
 * Whether a server's error is about a field with earlier thinking. Some reject unknown fields, and some chat templates
 * reject thinking beside text.
 */
export function refusesThoughts(message: string): boolean {
  if (/must be (passed|sent)|required|missing/i.test(message)) return false;
  return (
    /reasoning_(content|details)|content and thinking/i.test(message) ||
    /messages?\b.*\b(reasoning|thinking)\b|\b(reasoning|thinking)\b.*\bmessages?\b/i.test(message)
  );
}
