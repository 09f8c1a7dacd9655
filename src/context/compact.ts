import type { Message } from '../contract/message.ts';
import type { Compaction } from '../contract/view.ts';
import { lastTurnStart, tailStart } from './boundary.ts';
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
  /** Tokens that the messages kept after a summary may take. */
  recent: number;
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

/** What holds less than this share of a request is not worth asking a model for a summary of it. */
const WORTH_TELLING = 0.05;

/**
 * The least that makes enough room, in this order: repeated reads, old outputs, old edits, a summary of the old part,
 * and only then the outputs of the last messages. Null when nothing is gained.
 */
export async function planCompaction(planning: Planning): Promise<Compaction | null> {
  const { messages, previous, cause, limits, recent, before, count } = planning;
  const sizeOf = (draft: Draft) => planning.size(show(messages, draft), sentSummary(draft));
  const whole: Draft = previous ?? { ...wholeShape, summary: null, kept: '', by: 'squeeze' };
  // What has just been refused is too much, whatever was counted.
  const most = cause === 'overflow' ? Math.min(limits.compactAt, before * WORTH.overflow) : limits.compactAt;
  const target = cause === 'overflow' ? most : limits.target;

  const squeezed =
    cause === 'asked'
      ? whole
      : squeezeTo(whole, { messages, sizeOf, target, until: tailStart(messages, { budget: 0, count }) });
  if (cause !== 'asked' && sizeOf(squeezed) <= target) return finish(squeezed, planning, sizeOf);

  const keepFrom = tailStart(messages, { budget: recent, count });
  const old = messages.slice(whole.keepFrom, keepFrom).reduce((sum, message) => sum + count(message), 0);
  const short = old > before * WORTH_TELLING ? await planning.summarize(keepFrom) : null;
  if (cause === 'asked') return short && finish(short, planning, sizeOf);
  let draft = short ?? squeezed;
  const places = [lastTurnStart(messages), ...(cause === 'overflow' ? [messages.length] : [])];
  for (const until of places) {
    if (sizeOf(draft) > most) draft = squeezeTo(draft, { messages, sizeOf, target: most, until });
  }
  return finish(draft, planning, sizeOf);
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
