import type { Message } from '../contract/message.ts';
import type { Compaction } from '../contract/view.ts';
import { lastTurnStart, tailStart, turnStart } from './boundary.ts';
import { sentSummary } from './kept.ts';
import { type Shape, show, wholeShape } from './show.ts';
import { MAX_LEVEL } from './squeeze.ts';
import type { Limits } from './window.ts';

/** Why room is made: the window fills up, the vendor has refused a request, or the user asked. */
export type Cause = 'routine' | 'overflow' | 'asked';

/** A compaction whose sizes are not known yet. */
export type Draft = Omit<Compaction, 'tokensBefore' | 'tokensAfter'>;

export type Planning = {
  messages: readonly Message[];
  /** The compaction in force. */
  previous: Compaction | undefined;
  cause: Cause;
  limits: Limits;
  /** Tokens that the messages kept after a summary may take, and how many of them are kept in any case. */
  recent: number;
  keep?: number;
  /** What a request takes now. */
  before: number;
  /** What a request of these messages would take, and what one message takes of it. */
  size(messages: readonly Message[], summary: string | undefined): number;
  count(message: Message): number;
  /** The same without the messages before `keepFrom`, or before an earlier place that was already summarised. */
  summarize(keepFrom: number): Promise<Draft | null>;
};

/** What a request must shrink to, or it is not worth losing the vendor's cache; after a refusal, less is enough. */
const WORTH: Record<Cause, number> = { routine: 0.9, overflow: 0.95, asked: 0.999 };

/** So many messages at the end are made shorter only where the request would not fit otherwise. */
const WHOLE_MESSAGES = 4;

/** What holds less than this share of a request is not worth asking a model for a summary of it. */
const WORTH_TELLING = 0.05;

/**
 * The least that makes enough room, in this order: repeated reads, old outputs, old edits, a summary of the old part,
 * and only then the outputs of the last messages. Null when nothing is gained.
 */
export async function planCompaction(planning: Planning): Promise<Compaction | null> {
  const { messages, previous, cause, limits, recent, before } = planning;
  if (cause === 'asked') return planAsked(planning);
  const tail = { count: planning.count, ...(planning.keep !== undefined && { keep: planning.keep }) };
  const sizeOf = (draft: Draft) => planning.size(show(messages, draft), sentSummary(draft));
  const whole: Draft = previous ?? WHOLE;
  // What has just been refused is too much, whatever was counted.
  const most = cause === 'overflow' ? Math.min(limits.compactAt, before * WORTH.overflow) : limits.compactAt;
  const target = cause === 'overflow' ? most : limits.target;

  const until = tailStart(messages, { budget: 0, ...tail });
  const squeezed = squeezeTo(whole, { messages, sizeOf, target, until });
  if (sizeOf(squeezed) <= target) return finish(squeezed, planning, sizeOf);

  const keepFrom = tailStart(messages, { budget: recent, ...tail });
  const old = sizeBetween(whole.keepFrom, keepFrom, planning);
  const short = old > before * WORTH_TELLING ? await planning.summarize(keepFrom) : null;
  let draft = short ?? squeezed;
  const steps = [
    { until: turnStart(messages, messages.length - WHOLE_MESSAGES), target },
    { until: lastTurnStart(messages), target: most },
    ...(cause === 'overflow' ? [{ until: messages.length, target: most }] : []),
  ];
  for (const step of steps) {
    if (sizeOf(draft) > step.target) draft = squeezeTo(draft, { messages, sizeOf, ...step });
  }
  return finish(draft, planning, sizeOf);
}

const WHOLE: Draft = { ...wholeShape, summary: null, kept: '', by: 'squeeze' };

/** The user wants it smaller: all but the last messages in short, or all but the last turn where that gains nothing. */
async function planAsked(planning: Planning): Promise<Compaction | null> {
  const { messages, previous, recent, count, keep } = planning;
  const sizeOf = (draft: Draft) => planning.size(show(messages, draft), sentSummary(draft));
  const whole: Draft = previous ?? WHOLE;
  const places = [
    tailStart(messages, { budget: recent, count, ...(keep !== undefined && { keep }) }),
    lastTurnStart(messages),
  ];
  for (const keepFrom of places) {
    const short = sizeBetween(whole.keepFrom, keepFrom, planning) > 0 && (await planning.summarize(keepFrom));
    const compaction = short && finish(short, planning, sizeOf);
    if (compaction) return compaction;
  }
  const until = lastTurnStart(messages);
  return finish(squeezeTo(whole, { messages, sizeOf, target: 0, until }), planning, sizeOf);
}

function sizeBetween(from: number, to: number, { messages, count }: Planning): number {
  return messages.slice(from, to).reduce((sum, message) => sum + count(message), 0);
}

function finish(
  draft: Draft,
  { before, cause }: Planning,
  sizeOf: (draft: Draft) => number,
): Compaction | null {
  const after = Math.round(sizeOf(draft));
  return after <= before * WORTH[cause] ? { ...draft, tokensBefore: before, tokensAfter: after } : null;
}

type Squeeze = {
  messages: readonly Message[];
  sizeOf(draft: Draft): number;
  target: number;
  /** Messages before here may be made shorter. */
  until: number;
};

/** The gentlest level that is enough, or else the strongest; levels only ever grow. */
function squeezeTo(draft: Draft, { messages, sizeOf, target, until }: Squeeze): Draft {
  const place = { squeezeUntil: Math.max(draft.squeezeUntil, until), at: messages.length };
  let squeezed = draft;
  for (let level = Math.max(1, draft.level); level <= MAX_LEVEL; level++) {
    const shape: Shape = { keepFrom: draft.keepFrom, ...place, level };
    squeezed = { ...draft, ...shape };
    if (sizeOf(squeezed) <= target) break;
  }
  return squeezed;
}
