import { keptMessages, tailStart } from '../../context/boundary.ts';
import { tokensNow } from '../../context/count.ts';
import { type Fitted, fitMessages } from '../../context/fit.ts';
import { sentSummary } from '../../context/kept.ts';
import { endOfHead, headOf } from '../../context/show.ts';
import type { Message, TextPart } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Session } from '../../contract/session.ts';
import { type Compaction, type SessionView, wholeView } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { Answering, ModelLimits } from './model-limits.ts';

/** The prefix of every request of a session. */
export type Base = Omit<CompletionRequest, 'messages' | 'summary'>;

/**
 * `sent` is the request as it would be sent now; `tokens` its size, `scale` the factor from our estimate to
 * that size.
 */
export type Measured = { sent: CompletionRequest; tokens: number; scale: number };

export type SentMessagesDeps = { session: Session; answering(): Answering; limits: ModelLimits };

/**
 * What is sent of a session's messages: the journal's view, with texts shortened if the window is too small.
 */
export class SentMessages {
  readonly #deps: SentMessagesDeps;
  /** Maximum characters per text, if the last messages would not fit otherwise. */
  #textLimit = Number.POSITIVE_INFINITY;
  /** Files with the full content of shortened texts. */
  readonly places = new WeakMap<TextPart, string>();
  #head: { compaction: Compaction; last: Message | undefined; head: readonly Message[] | null } | undefined;

  constructor(deps: SentMessagesDeps) {
    this.#deps = deps;
  }

  get view(): SessionView {
    return this.#deps.session.view ?? wholeView;
  }

  get lastCompaction(): Compaction | undefined {
    return this.view.compactions.at(-1);
  }

  /** The vendor's tokens per token of our estimate. */
  get factor(): number {
    return this.view.factors[this.#deps.answering().model] ?? 1;
  }

  /** Messages at the end that are never compacted. */
  get keep(): ReturnType<typeof keptMessages> {
    return keptMessages(this.#deps.answering().contextWindow);
  }

  /** Limits each text so that the last messages, which are never compacted, fit. */
  shortened(messages: readonly Message[]): readonly Message[] {
    if (this.#textLimit === Number.POSITIVE_INFINITY) return messages;
    const placeOf = (part: TextPart) => this.places.get(part);
    return fitMessages(messages, { most: this.#textLimit, fits: () => true, placeOf }).messages;
  }

  measure(base: Base, messages: readonly Message[]): Measured {
    const limited = this.shortened(messages);
    const sent = { ...this.#withSummary(base), messages: this.#withHead(limited) };
    const whole = estimateTokens(sent);
    const { model } = this.#deps.answering();
    const tokens = tokensNow(limited, {
      model,
      since: this.view.countFrom,
      whole,
      estimate: (some) => estimateTokens({ model, system: '', messages: some }),
      factor: this.factor,
    });
    return { sent, tokens, scale: tokens / Math.max(1, whole) };
  }

  /** The part of a request that fits into the window. */
  fit({ sent, tokens, scale }: Measured): Fitted {
    const { room } = this.#deps.limits.afterRefusals();
    if (tokens <= room) return { messages: sent.messages, limit: this.#textLimit, dropped: 0 };
    return fitMessages(sent.messages, {
      fits: (messages) => sizeOf({ ...sent, messages }, scale) <= room,
      placeOf: (part) => this.places.get(part),
    });
  }

  /** Tokens of a request once it fits. */
  fittedSize(measured: Measured): number {
    return sizeOf({ ...measured.sent, messages: this.fit(measured).messages }, measured.scale);
  }

  /**
   * The last messages are kept by any compaction, so texts that are too long among them are shortened first.
   */
  limitTexts(base: Base): void {
    const { messages } = this.#deps.session;
    const before = this.#textLimit;
    this.#textLimit = Number.POSITIVE_INFINITY;
    const { sent, tokens, scale } = this.measure(base, messages);
    const { compactAt, target } = this.#deps.limits.afterRefusals();
    if (tokens <= compactAt) return;
    const tail = messages.slice(tailStart(messages, { budget: 0, count: () => 1, keep: this.keep }));
    const fits = (most: number) => (some: readonly Message[]) =>
      sizeOf({ ...sent, messages: some }, scale) <= most;
    // Once shortened, they stay the same: repeated content should be byte-identical.
    if (!fits(compactAt)(tail))
      this.#textLimit = Math.min(before, fitMessages(tail, { fits: fits(target) }).limit);
  }

  /**
   * Created once per compaction: repeated messages must be the identical objects, for caches keyed by object.
   */
  #withHead(messages: readonly Message[]): readonly Message[] {
    const compaction = this.lastCompaction;
    if (!compaction) return messages;
    const last = messages[compaction.at - 1];
    if (this.#head?.compaction !== compaction || this.#head.last !== last)
      this.#head = { compaction, last, head: headOf(messages, compaction) };
    const { head } = this.#head;
    return head ? [...head, ...messages.slice(endOfHead(messages, compaction))] : messages;
  }

  #withSummary(base: Base): Base & { summary?: string } {
    const compaction = this.lastCompaction;
    const summary = compaction && sentSummary(compaction);
    return summary === undefined ? base : { ...base, summary };
  }
}

export function sizeOf(request: CompletionRequest, scale: number): number {
  return scale * estimateTokens(request);
}
