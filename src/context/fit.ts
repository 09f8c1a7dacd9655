import type { AssistantMessage, ImagePart, Message, TextPart, ToolCallPart } from '../contract/message.ts';
import { truncateText } from '../lib/text/truncate.ts';
import { promptBefore, turnStart } from './boundary.ts';

/**
 * Maximum characters of one text in a request, from no limit down. Only a few steps, so that a growing
 * conversation is sent with identical bytes until the next step is needed.
 */
const STEPS = [
  Number.POSITIVE_INFINITY,
  ...[400_000, 200_000, 100_000, 50_000, 25_000, 12_000, 6000, 3000, 1500, 700, 300, 120],
];
const SMALLEST = STEPS.at(-1) ?? 0;
/** An image costs about as much as a text of this many characters. */
const IMAGE_CHARACTERS = 6000;
const IMAGE: TextPart = { type: 'text', text: '[Image omitted to fit the context window.]' };

export type Fitting = {
  fits(messages: readonly Message[]): boolean;
  /** No text is longer than this, even if it would fit. */
  most?: number;
  /** Where the full text was saved. */
  placeOf?(part: TextPart): string | undefined;
};

export type Fitted = {
  messages: readonly Message[];
  /** The length limit applied to texts; infinite if none was shortened. */
  limit: number;
  /** The number of oldest messages dropped. */
  dropped: number;
};

/**
 * The part of these messages that fits, whatever they are: the longest texts are reduced to their start and
 * end, images are removed, and if that is not enough, the oldest turns. The last turn always stays.
 */
export function fitMessages(messages: readonly Message[], fitting: Fitting): Fitted {
  const { most = Number.POSITIVE_INFINITY, fits } = fitting;
  const steps = STEPS.filter((step) => step <= most);
  for (const limit of steps) {
    const shorter = limitTexts(messages, limit, fitting);
    if (fits(shorter)) return { messages: shorter, limit, dropped: 0 };
  }
  return dropOldest(limitTexts(messages, SMALLEST, fitting), fits);
}

/** The user comes first: the prompt of the first kept turn stays before it. */
function dropOldest(messages: readonly Message[], fits: Fitting['fits']): Fitted {
  let kept = messages;
  let dropped = 0;
  for (let start = 1; start < messages.length; start++) {
    if (turnStart(messages, start) !== start) continue;
    const prompt = promptBefore(messages, start);
    kept =
      messages[start]?.role === 'user' || !prompt
        ? messages.slice(start)
        : [prompt, ...messages.slice(start)];
    dropped = messages.length - kept.length;
    if (fits(kept)) break;
  }
  return { messages: kept, limit: SMALLEST, dropped };
}

function limitTexts(
  messages: readonly Message[],
  limit: number,
  { placeOf }: Pick<Fitting, 'placeOf'>,
): readonly Message[] {
  if (limit === Number.POSITIVE_INFINITY) return messages;
  const limited = messages.map((message) => limitMessage(message, limit, placeOf));
  return limited.every((message, i) => message === messages[i]) ? messages : limited;
}

type Part = ImagePart | AssistantMessage['content'][number];

function limitMessage<Kind extends Message>(message: Kind, limit: number, placeOf: Fitting['placeOf']): Kind {
  const content: readonly Part[] = message.content;
  const limited = content.flatMap((part): Part[] => {
    switch (part.type) {
      case 'text':
        return part.text.length <= limit
          ? [part]
          : [{ ...part, text: shortened(part.text, limit, placeOf?.(part)) }];
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
