import { keptMessages } from '../../context/boundary.ts';
import { unfoldBreaks } from '../../context/breaks.ts';
import { tokensNow } from '../../context/count.ts';
import { withoutReasoning } from '../../context/reasoning.ts';
import { endOfHead, headOf, wholeShape } from '../../context/show.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Epoch } from '../../contract/request/epoch.ts';
import type { Session } from '../../contract/session.ts';
import { type Compaction, type SessionView, wholeView } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { Answering } from './model-limits.ts';

/** Everything of a request but the messages. */
export type Base = Omit<CompletionRequest, 'messages' | 'sent'>;

/**
 * `sent` is the request as it would be sent now; `tokens` its size, `scale` the factor from our estimate to
 * that size.
 */
export type Measured = { sent: CompletionRequest; tokens: number; scale: number };

export type SentMessagesDeps = {
  session: Session;
  answering(): Answering;
  epoch(): Epoch | undefined;
};

/** The messages from before the current epoch, as they are sent in it. */
type Head = {
  compaction: Compaction | undefined;
  from: number;
  last: Message | undefined;
  messages: readonly Message[];
};

/** What is sent of a session's messages: within an epoch it only grows. */
export class SentMessages {
  readonly #deps: SentMessagesDeps;
  #head: Head | undefined;

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

  /** The minimum number of messages that a compaction keeps. */
  get keep(): ReturnType<typeof keptMessages> {
    return keptMessages(this.#deps.answering().contextWindow);
  }

  /** The messages of a request. */
  shown(messages: readonly Message[]): readonly Message[] {
    const from = this.#from(messages);
    if (from === 0) return unfoldBreaks(messages);
    return unfoldBreaks([...this.#headBefore(messages, from), ...messages.slice(from)]);
  }

  /** How many messages of a request the vendor has seen: those before the last reply of this epoch. */
  seen(messages: readonly Message[]): number {
    const from = this.#from(messages);
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    if (last < from) return 0;
    return unfoldBreaks([...this.#headBefore(messages, from), ...messages.slice(from, last)]).length;
  }

  /** The message of the session that is at this position of a request; undefined if it stands for several. */
  messageAt(position: number): Message | undefined {
    return this.shown(this.#deps.session.messages)[position];
  }

  measure(base: Base, messages: readonly Message[]): Measured {
    const sent = { ...base, messages: this.shown(messages) };
    const whole = estimateTokens(sent);
    const { model } = this.#deps.answering();
    const tokens = tokensNow(messages, {
      model,
      since: Math.max(this.view.countFrom, this.#from(messages)),
      whole,
      estimate: (some) => estimateTokens({ model, system: '', messages: some }),
      factor: this.factor,
    });
    return { sent, tokens, scale: tokens / Math.max(1, whole) };
  }

  #from(messages: readonly Message[]): number {
    const from = this.#deps.epoch()?.from ?? messages.length;
    return Math.min(from, messages.length);
  }

  /** Created once per epoch: repeated messages must be the identical objects, for caches keyed by object. */
  #headBefore(messages: readonly Message[], from: number): readonly Message[] {
    const compaction = this.lastCompaction;
    const last = messages[from - 1];
    const known = this.#head;
    if (known && known.compaction === compaction && known.from === from && known.last === last)
      return known.messages;
    const shape = compaction ?? wholeShape;
    const head = headOf(messages, shape);
    const rest = messages.slice(head === null ? 0 : endOfHead(messages, shape), from);
    const shown = [...(head ?? []), ...rest].map(withoutReasoning);
    this.#head = { compaction, from, last, messages: shown };
    return shown;
  }
}

export function sizeOf(request: CompletionRequest, scale: number): number {
  return scale * estimateTokens(request);
}
