import type { AssistantMessage, ImagePart, Message, TextPart, ToolCallPart } from '../contract/message.ts';
import { truncateText } from '../lib/text/truncate.ts';

/** Limits to try for the characters of one text, when messages that must be kept do not fit. */
export const TEXT_LIMITS = [
  400_000, 200_000, 100_000, 50_000, 25_000, 12_000, 6000, 3000, 1500, 700, 300, 120,
];
/** An image costs about as much as a text of this many characters. */
const IMAGE_CHARACTERS = 6000;
const IMAGE: TextPart = { type: 'text', text: '[Image omitted to fit the context window.]' };

/** Where the full text of a prompt was saved. */
type PlaceOf = (text: string) => string | undefined;

/**
 * The same messages with each text reduced to its start and end. Keeps every message, and every call with its result.
 * Deterministic, byte for byte.
 */
export function limitTexts(
  messages: readonly Message[],
  limit: number,
  placeOf: PlaceOf = () => undefined,
): readonly Message[] {
  const limited = messages.map((message) => limitMessage(message, limit, placeOf));
  return limited.every((message, i) => message === messages[i]) ? messages : limited;
}

type Part = ImagePart | AssistantMessage['content'][number];

function limitMessage<Kind extends Message>(message: Kind, limit: number, placeOf: PlaceOf): Kind {
  const content: readonly Part[] = message.content;
  const limited = content.flatMap((part): Part[] => {
    switch (part.type) {
      case 'text':
        return part.text.length <= limit
          ? [part]
          : [{ ...part, text: shortened(part.text, limit, placeOf(part.text)) }];
      case 'image':
        return limit < IMAGE_CHARACTERS ? [IMAGE] : [part];
      // Thinking is sent as signed, or not at all.
      case 'thinking':
        return part.text.length <= limit ? [part] : [];
      case 'tool_call':
        return [limitCall(part, limit)];
      default:
        part satisfies never;
        return [];
    }
  });
  const isSame = limited.length === content.length && limited.every((part, i) => part === content[i]);
  return isSame ? message : ({ ...message, content: limited } as Kind);
}

function limitCall(call: ToolCallPart, limit: number): ToolCallPart {
  const input = limitValue(call.input, limit);
  const { malformed } = call;
  if (input === call.input && (malformed === undefined || malformed.length <= limit)) return call;
  return { ...call, input, ...(malformed !== undefined && { malformed: shortened(malformed, limit) }) };
}

/** The same structure with shorter texts: models would imitate a call with another structure. */
function limitValue(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return value.length <= limit ? value : shortened(value, limit);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const limited = entries.map(([key, inner]) => [key, limitValue(inner, limit)] as const);
  if (limited.every(([, inner], i) => inner === entries[i]?.[1])) return value;
  return Array.isArray(value) ? limited.map(([, inner]) => inner) : Object.fromEntries(limited);
}

function shortened(text: string, limit: number, place?: string): string {
  const where = place === undefined ? '' : ` The full text is in ${place}; read it in parts.`;
  const mark = `[${text.length - limit} characters omitted to fit the context window.${where}]\n`;
  return (
    mark + truncateText(text, { max: limit, head: Math.floor(limit * 0.65), tail: Math.floor(limit * 0.3) })
  );
}
