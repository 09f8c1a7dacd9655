import type { Run } from '../../agent/run.ts';
import type { SessionWriter } from '../../agent/session-writer.ts';
import { nextFactor, promptTokens } from '../../context/count.ts';
import type { Fitted } from '../../context/fit.ts';
import type { Limits } from '../../context/window.ts';
import type { Compacted } from '../../contract/command.ts';
import { ContextOverflowError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Session } from '../../contract/session.ts';
import type { Todo } from '../../contract/tool.ts';
import type { SessionView } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { GetBackgroundModel } from '../models/background-model.ts';
import { type Compactor, createCompactor } from './compactor.ts';
import { type Answering, createModelLimits, type ModelLimits } from './model-limits.ts';
import { type Base, type Measured, SentMessages } from './sent-messages.ts';

export type ViewDeps = {
  session: Session;
  /** Resolves when all of the session's messages are loaded. */
  ready: Promise<void>;
  answering(): Answering;
  /** Share of the window above which older messages are compacted. */
  threshold: number;
  base(): Promise<Base>;
  backgroundModel: GetBackgroundModel;
  todos(): readonly Todo[];
  writer: Pick<SessionWriter, 'changeView'>;
  /** The user may send another prompt after a run: a summary may be prepared for it. */
  isWatched: boolean;
  /** Saves a text that is too long for the window where the model can read it in parts; null on failure. */
  keepText?(text: string): Promise<string | null>;
  /** Whether a hook vetoes compaction, as long as everything fits. */
  keepsAll?(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
};

/** Messages to wait after an attempt that gained too little. */
const PAUSE = 8;
/** A change in a model's token factor that is worth a journal entry. */
const WORTH_NOTING = 0.03;
/** Our estimate errs on the high side: a request is not sent at all above this multiple of the window. */
const FAR_TOO_LONG = 1.5;
/** Target share for a request after a rejection that nothing else helped against. */
const AFTER_REFUSAL = 0.7;
/** The smallest output limit to request. */
const LEAST_OUTPUT = 512;
/** A rejected request is sent again only if it is smaller than this share. */
const WORTH_SENDING = 0.97;
/** A truncated answer within this many messages still justifies a higher limit. */
const CUT_LATELY = 20;

/** What the model sees of a session: combines the journal's view, the window, and the model for summaries. */
export class ConversationView {
  readonly #deps: ViewDeps;
  readonly #limits: ModelLimits;
  readonly #sent: SentMessages;
  readonly #compactor: Compactor;
  #estimated = 0;
  #idleUntil = 0;
  /** The last shortening reported. */
  #reported = { limit: Number.POSITIVE_INFINITY, dropped: false };

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#limits = createModelLimits(deps);
    this.#sent = new SentMessages({ ...deps, limits: this.#limits });
    this.#compactor = createCompactor({ ...deps, limits: this.#limits, sent: this.#sent });
  }

  /**
   * The request for these messages: fits whenever the messages are what makes it too long. Throws if it is
   * far too long regardless.
   */
  request(base: Base, messages: readonly Message[]): CompletionRequest {
    const measured = this.#sent.measure(base, messages);
    const request = { ...measured.sent, messages: this.#sent.fit(measured).messages };
    const estimated = estimateTokens(request);
    this.#estimated = estimated;
    const { contextWindow } = this.#deps.answering();
    if (estimated > contextWindow * FAR_TOO_LONG) throw new ContextOverflowError(estimated, contextWindow);
    return { ...request, ...this.#maxTokensFor(base, messages, estimated * measured.scale) };
  }

  current(): SessionView {
    return this.#sent.view;
  }

  limits(): Limits {
    return this.#limits.now();
  }

  async measure(): Promise<Measured> {
    await this.#deps.ready;
    return this.#sent.measure(await this.#deps.base(), this.#deps.session.messages);
  }

  /** `base` is the prefix of the run's requests; defaults to the current one. */
  async *makeRoom(...room: [...Parameters<Run['makeRoom']>, base?: Base]): ReturnType<Run['makeRoom']> {
    const [cause, signal, given] = room;
    await this.#deps.ready;
    const base = given ?? (await this.#deps.base());
    this.#sent.limitTexts(base);
    const smaller = yield* this.#makeSmaller(cause, signal, base);
    if (!signal.aborted) yield* this.#reportShortened(this.#sent.fit(this.#measured(base)));
    return smaller;
  }

  async compact(focus: string, signal: AbortSignal): Promise<Compacted | null> {
    return this.#compactor.compact(await this.measure(), { cause: 'asked', focus, signal });
  }

  /** Updates from each event of the session. */
  watch(event: AgentEvent): void {
    const { isWatched, answering, writer } = this.#deps;
    if (event.type === 'end' && isWatched)
      void this.measure().then(
        (measured) => this.#compactor.prepare(measured),
        () => undefined,
      );
    if (event.type !== 'usage' || this.#estimated === 0) return;
    const { factor } = this.#sent;
    const next = nextFactor(factor, promptTokens(event.usage), this.#estimated);
    if (Math.abs(next - factor) > WORTH_NOTING * factor)
      void writer.changeView({
        type: 'estimate',
        model: answering().model,
        factor: Number(next.toFixed(3)),
      });
  }

  /** Ends background work. */
  close(): void {
    this.#compactor.close();
  }

  #measured(base: Base): Measured {
    return this.#sent.measure(base, this.#deps.session.messages);
  }

  async *#makeSmaller(
    cause: 'routine' | 'overflow',
    signal: AbortSignal,
    base: Base,
  ): AsyncGenerator<AgentEvent, boolean> {
    const measured = this.#measured(base);
    const { tokens } = measured;
    const { length } = this.#deps.session.messages;
    const limits = this.#limits.now();
    if (cause === 'routine' && length < this.#idleUntil) return false;
    if (cause === 'routine' && tokens <= limits.compactAt) {
      this.#compactor.prepare(measured);
      return false;
    }
    const done = await this.#compactor.compact(measured, { cause, focus: '', signal });
    if (cause === 'overflow' && tokens < limits.compactAt) this.#limits.shrink(tokens, limits);
    // After a rejection, the smaller request is tried before anything else.
    this.#idleUntil = done ? length + (cause === 'overflow' ? 1 : 0) : length + PAUSE;
    if (done) yield { type: 'compacted', ...done };
    if (done || cause === 'routine' || signal.aborted) return done !== null;
    return this.#shortenTexts(measured, base);
  }

  /**
   * Nothing is left to compact: shortens the texts themselves. Returns whether that makes the request
   * smaller.
   */
  #shortenTexts(measured: Measured, base: Base): boolean {
    const before = this.#sent.fittedSize(measured);
    const { room } = this.#limits.afterRefusals();
    const restore = this.#limits.reduce((AFTER_REFUSAL * Math.min(before, room)) / room);
    const isSmaller = this.#sent.fittedSize(this.#measured(base)) < before * WORTH_SENDING;
    // If not even that helps, the rejection was not about the window.
    if (!isSmaller) restore();
    return isSmaller;
  }

  /** Saves newly shortened texts where the model can read them, and reports it, once per change. */
  async *#reportShortened({ limit, dropped }: Fitted): AsyncGenerator<AgentEvent> {
    const { session, keepText } = this.#deps;
    const { places } = this.#sent;
    if (limit >= this.#reported.limit && (this.#reported.dropped || dropped === 0)) return;
    this.#reported = { limit, dropped: dropped > 0 };
    const long = session.messages
      .flatMap(({ role, content }) => (role === 'user' ? content : []))
      .filter((part) => part.type === 'text' && part.text.length > limit);
    for (const part of long) {
      if (part.type !== 'text' || places.has(part)) continue;
      const place = await keepText?.(part.text);
      if (place) places.set(part, place);
    }
    const kept = long.flatMap((part) => (part.type === 'text' ? (places.get(part) ?? []) : []));
    const where = kept.length === 0 ? '' : ` The model can read your full prompt in ${kept.join(', ')}.`;
    const what = dropped > 0 ? 'Old messages are omitted and long texts' : 'Long texts';
    const text = `The conversation exceeds the model's context window. ${what} are shortened.${where}`;
    yield { type: 'notice', level: 'warn', text };
  }

  /**
   * A prompt near the end of the window leaves less for the answer; after a truncated answer the limit is
   * raised.
   */
  #maxTokensFor(base: Base, messages: readonly Message[], tokens: number): { maxTokens?: number } {
    const { contextWindow, maxOutput, mostOutput = maxOutput } = this.#deps.answering();
    const wasCut = messages
      .slice(-CUT_LATELY)
      .some((message) => message.role === 'assistant' && message.stopReason === 'max_tokens');
    const wanted = base.maxTokens ?? (wasCut ? mostOutput : maxOutput);
    const left = Math.max(LEAST_OUTPUT, Math.floor(contextWindow - tokens));
    if (wanted > left) return { maxTokens: left };
    return base.maxTokens === undefined && wasCut ? { maxTokens: wanted } : {};
  }
}
