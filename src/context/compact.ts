import type { Message } from '../contract/message.ts';
import type { Compaction } from '../contract/view.ts';
import { lastTurnStart, tailStart, turnStart } from './boundary.ts';
import { limitTexts, TEXT_LIMITS } from './fit.ts';
import { sentSummary } from './kept.ts';
import { withoutReasoning } from './reasoning.ts';
import { type Shape, show, wholeShape } from './show.ts';
import { MAX_LEVEL, squeeze } from './squeeze.ts';
import type { Limits } from './window.ts';

/** Why to compact: the window fills up, the vendor rejected a request, or the user asked. */
export type Cause = 'routine' | 'overflow' | 'asked';

/** A compaction whose sizes are not known yet. */
export type Draft = Omit<Compaction, 'tokensBefore' | 'tokensAfter'>;

export type Planning = {
  messages: readonly Message[];
  /** The current compaction. */
  previous: Compaction | undefined;
  cause: Cause;
  limits: Limits;
  /** Tokens for the messages kept after a summary, and the minimum number to keep. */
  recent: number;
  keep?: number;
  /** Current tokens of a request. */
  before: number;
  /** Tokens of a request with these messages, and of a single message. */
  size(messages: readonly Message[], summary: string | undefined): number;
  count(message: Message): number;
  /** Drops the messages before `keepFrom`, or before an earlier index that was already summarized. */
  summarize(keepFrom: number): Promise<Draft | null>;
};

/**
 * The share that a request must shrink to, to be worth losing the vendor's cache; after a rejection, less is
 * enough.
 */
const WORTH: Record<Cause, number> = { routine: 0.9, overflow: 0.95, asked: 0.999 };

/** The last messages that are shortened only if the request would not fit otherwise. */
const WHOLE_MESSAGES = 4;

/** Below this share of a request, a summary by a model is not worth it. */
const WORTH_REPORTING = 0.05;

/**
 * The least invasive compaction that gains enough, in this order: repeated reads, old outputs, old edits, a
 * summary of the old part, the outputs of the last messages, and only then all texts. Null if nothing is gained.
 */
export async function planCompaction(planning: Planning): Promise<Compaction | null> {
  const { messages, previous, cause, limits, recent, before } = planning;
  if (cause === 'asked') return planAsked(planning);
  const tail = { count: planning.count, ...(planning.keep !== undefined && { keep: planning.keep }) };
  const sizeOf = sizing(planning);
  // A request that was just rejected is too large, whatever the count says.
  const most = cause === 'overflow' ? Math.min(limits.compactAt, before * WORTH.overflow) : limits.compactAt;
  const target = cause === 'overflow' ? most : limits.target;

  const until = tailStart(messages, { budget: 0, ...tail });
  const whole = withFittingTurn(previous ?? WHOLE, planning);
  const squeezed = squeezeTo(whole, { messages, sizeOf, target, until });
  if (sizeOf(squeezed) <= target) return finish(squeezed, planning, sizeOf);

  const keepFrom = tailStart(messages, { budget: recent, ...tail });
  const old = sizeBetween(whole.keepFrom, keepFrom, planning);
  const short = old > before * WORTH_REPORTING ? await planning.summarize(keepFrom) : null;
  let draft = short ? { ...short, ...limitOf(whole) } : squeezed;
  const steps = [
    { until: turnStart(messages, messages.length - WHOLE_MESSAGES), target },
    { until: lastTurnStart(messages), target: most },
    ...(cause === 'overflow' ? [{ until: messages.length, target: most }] : []),
  ];
  for (const step of steps) {
    if (sizeOf(draft) > step.target) draft = squeezeTo(draft, { messages, sizeOf, ...step });
  }
  if (sizeOf(draft) > most) draft = limitTo(draft, { messages, fits: (one) => sizeOf(one) <= most });
  // Even short texts are too much if there are enough of them.
  const last = sizeOf(draft) > most ? await planning.summarize(lastTurnStart(messages)) : null;
  return finish(last ? { ...last, ...limitOf(draft) } : draft, planning, sizeOf);
}

/** Tokens of a request after a compaction, which leaves the reasoning of its messages behind. */
function sizing({ messages, size }: Planning): (draft: Draft) => number {
  return (draft) => size(show(messages, draft).map(withoutReasoning), sentSummary(draft));
}

/** The last turn is kept by any compaction: if it does not fit, its texts are shortened first. */
function withFittingTurn(draft: Draft, { messages, cause, limits, size }: Planning): Draft {
  // After a rejection its outputs may be squeezed, too.
  const until = cause === 'overflow' ? messages.length : 0;
  const squeezed = squeeze(messages, { level: MAX_LEVEL, until, at: messages.length });
  const turn = [...squeezed, ...messages.slice(until)].slice(lastTurnStart(messages));
  const sizeAt = (limit: number) => size(limitTexts(turn, limit).map(withoutReasoning), undefined);
  if (sizeAt(draft.textLimit ?? Number.POSITIVE_INFINITY) <= limits.compactAt) return draft;
  return limitTo(draft, { messages, fits: ({ textLimit = 0 }) => sizeAt(textLimit) <= limits.target });
}

type Limiting = { messages: readonly Message[]; fits(draft: Draft): boolean };

/** The highest limit for texts that is enough, or else the lowest; limits only decrease. */
function limitTo(draft: Draft, { messages, fits }: Limiting): Draft {
  const most = draft.textLimit ?? Number.POSITIVE_INFINITY;
  const limits = TEXT_LIMITS.filter((limit) => limit <= most);
  const drafts = limits.map((textLimit): Draft => ({ ...draft, textLimit, at: messages.length }));
  return drafts.find(fits) ?? drafts.at(-1) ?? draft;
}

function limitOf({ textLimit }: Draft): Pick<Draft, 'textLimit'> {
  return textLimit === undefined ? {} : { textLimit };
}

const WHOLE: Draft = { ...wholeShape, summary: null, kept: '', by: 'squeeze' };

/**
 * On the user's request: summarizes all but the last messages, or all but the last turn if that gains
 * nothing.
 */
async function planAsked(planning: Planning): Promise<Compaction | null> {
  const { messages, previous, recent, count, keep } = planning;
  const sizeOf = sizing(planning);
  const whole: Draft = previous ?? WHOLE;
  const places = [
    tailStart(messages, { budget: recent, count, ...(keep !== undefined && { keep }) }),
    lastTurnStart(messages),
  ];
  for (const keepFrom of places) {
    const short = sizeBetween(whole.keepFrom, keepFrom, planning) > 0 && (await planning.summarize(keepFrom));
    const compaction = short && finish({ ...short, ...limitOf(whole) }, planning, sizeOf);
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
  { before, cause, messages }: Planning,
  sizeOf: (draft: Draft) => number,
): Compaction | null {
  const after = Math.round(sizeOf(draft));
  const whole = { ...draft, at: messages.length };
  return after <= before * WORTH[cause] ? { ...whole, tokensBefore: before, tokensAfter: after } : null;
}

type Squeeze = {
  messages: readonly Message[];
  sizeOf(draft: Draft): number;
  target: number;
  /** Messages before this index may be shortened. */
  until: number;
};

/** The lowest level that is enough, or else the highest; levels only increase. */
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
