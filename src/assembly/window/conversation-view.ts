import type { Run } from '../../agent/run.ts';
import type { SessionWriter } from '../../agent/session-writer.ts';
import { nextFactor, promptTokens } from '../../context/count.ts';
import type { Limits } from '../../context/window.ts';
import type { Compacted } from '../../contract/command.ts';
import { ContextOverflowError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Epoch, SecretMask } from '../../contract/request/epoch.ts';
import type { Session } from '../../contract/session.ts';
import type { Todo } from '../../contract/tool.ts';
import type { Compaction, MaskedEpoch, SessionView } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { GetBackgroundModel } from '../models/background-model.ts';
import type { SummarizeAtVendor } from '../models/vendor-summary.ts';
import { cacheLifetime } from './cache-lifetime.ts';
import { type Compactor, createCompactor } from './compactor.ts';
import type { Epochs } from './epochs.ts';
import { type Answering, createModelLimits, type ModelLimits } from './model-limits.ts';
import { type Base, type Measured, SentMessages } from './sent-messages.ts';

export type ViewDeps = {
  session: Session;
  /** Resolves when all of the session's messages are loaded. */
  ready: Promise<void>;
  answering(): Answering;
  /** How long vendors should keep a prompt; `auto` decides by the pauses so far. */
  promptCache?: 'auto' | '5m' | '1h';
  /** Share of the window above which older messages are compacted. */
  threshold: number;
  epochs: Pick<Epochs, 'current' | 'ensure' | 'preview' | 'begin'>;
  /** What a request has besides its prefix and its messages. */
  settings(): Omit<Base, 'system' | 'summary' | 'tools'>;
  backgroundModel: GetBackgroundModel;
  /** Absent for conversations that only a model summarizes. */
  summarizeAtVendor?: SummarizeAtVendor;
  todos(): readonly Todo[];
  writer: Pick<SessionWriter, 'changeView'>;
  /** The user may send another prompt after a run: a summary may be prepared for it. */
  isWatched: boolean;
  /** Saves a text that is too long for the window where the model can read it in parts; null on failure. */
  keepText?(text: string): Promise<string | null>;
  /** Called when a secret turns out to have been sent in this message before it was recognized. */
  onExposed?(placeholder: string, message: Message | undefined): void;
  /** Whether a hook vetoes compaction, as long as everything fits. */
  keepsAll?(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
};

/** Messages to wait after an attempt that gained too little. */
const PAUSE = 8;
/** A change in a model's token factor that is worth a journal entry. */
const WORTH_NOTING = 0.03;
/** Our estimate errs on the high side: a request is not sent at all above this multiple of the window. */
const FAR_TOO_LONG = 1.5;
/** The smallest output limit to request. */
const LEAST_OUTPUT = 512;
/** A truncated answer within this many messages still justifies a higher limit. */
const CUT_LATELY = 20;

/** What the model sees of a session: combines the journal's view, the window, and the model for summaries. */
export class ConversationView {
  readonly #deps: ViewDeps;
  readonly #limits: ModelLimits;
  readonly #sent: SentMessages;
  readonly #compactor: Compactor;
  #estimated = 0;
  #reasoningDropped = 0;
  #idleUntil = 0;

  constructor(deps: ViewDeps) {
    this.#deps = deps;
    this.#limits = createModelLimits(deps);
    this.#sent = new SentMessages({ ...deps, epoch: () => deps.epochs.current });
    this.#compactor = createCompactor({
      ...deps,
      limits: this.#limits,
      sent: this.#sent,
      atVendor: async (messages, signal) => {
        const epoch = deps.epochs.current;
        const request = epoch && this.#requestIn(epoch, messages);
        return (request && (await deps.summarizeAtVendor?.(request, signal))) ?? null;
      },
    });
  }

  /** The request for these messages. Throws if it is far too long: only a compaction can help. */
  request(messages: readonly Message[]): CompletionRequest {
    const { epochs, settings, answering } = this.#deps;
    const epoch = epochs.current;
    if (!epoch) throw new Error('A request needs an epoch.');
    const base = baseOf(settings(), epoch);
    const { scale } = this.#sent.measure(base, messages);
    const request = this.#requestIn(epoch, messages);
    const estimated = estimateTokens(request);
    this.#estimated = estimated;
    const { contextWindow } = answering();
    if (estimated > contextWindow * FAR_TOO_LONG) throw new ContextOverflowError(estimated, contextWindow);
    return { ...request, ...this.#maxTokensFor(base, messages, estimated * scale) };
  }

  #requestIn(epoch: MaskedEpoch, messages: readonly Message[]): CompletionRequest {
    const { settings, promptCache = '5m' } = this.#deps;
    const lifetime = promptCache === 'auto' ? cacheLifetime(messages, epoch.from) : promptCache;
    return {
      ...baseOf(settings(), epoch),
      ...(lifetime === '1h' && { cacheLifetime: lifetime }),
      messages: this.#sent.shown(messages),
      sent: {
        messages: this.#sent.seen(messages),
        masks: epoch.masks,
        onMasked: (masks) => this.#recordMasks(masks),
      },
    };
  }

  get reasoningDropped(): number {
    return this.#reasoningDropped;
  }

  current(): SessionView {
    return this.#sent.view;
  }

  limits(): Limits {
    return this.#limits.now();
  }

  /** The messages that the next request will show. */
  shown(): readonly Message[] {
    return this.#sent.shown(this.#deps.session.messages);
  }

  async measure(): Promise<Measured> {
    await this.#deps.ready;
    const base = baseOf(this.#deps.settings(), await this.#deps.epochs.preview());
    return this.#sent.measure(base, this.#deps.session.messages);
  }

  async *makeRoom(cause: 'routine' | 'overflow', signal: AbortSignal): ReturnType<Run['makeRoom']> {
    await this.#deps.ready;
    // A rejection may have revealed a window that is too small for the tools and prompt of this epoch.
    const begins = this.#deps.epochs.current === undefined;
    await this.#deps.epochs.ensure();
    const measured = await this.measure();
    const { tokens } = measured;
    const { length } = this.#deps.session.messages;
    const limits = this.#limits.now();
    if (cause === 'routine' && length < this.#idleUntil && tokens <= limits.room) return false;
    if (cause === 'routine' && tokens <= limits.compactAt) {
      this.#compactor.prepare(measured);
      return false;
    }
    const done = await this.#compactor.compact(measured, { cause, focus: '', signal });
    if (cause === 'overflow' && tokens < limits.compactAt) this.#limits.shrink(tokens, limits);
    // After a rejection, the smaller request is tried before anything else.
    this.#idleUntil = done ? length + (cause === 'overflow' ? 1 : 0) : length + PAUSE;
    if (done) {
      const { before, after, by, ...limited } = done;
      yield { type: 'compacted', before, after, by };
      yield* reportLimited(limited);
    }
    return done !== null || (cause === 'overflow' && begins);
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
    if (event.type === 'input_transformed')
      this.#reasoningDropped += event.transformations.filter(
        ({ kind }) => kind === 'thinking_dropped',
      ).length;
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

  #recordMasks(masks: readonly (SecretMask & { at?: number })[]): void {
    const { writer, onExposed } = this.#deps;
    for (const { at, ...mask } of masks) {
      void writer.changeView({ type: 'mask', ...mask });
      if (at !== undefined) onExposed?.(mask.placeholder, this.#sent.messageAt(at));
    }
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

function baseOf(
  settings: ReturnType<ViewDeps['settings']>,
  { system, summary, vendorSummary, tools }: Pick<Epoch, 'system' | 'summary' | 'vendorSummary' | 'tools'>,
): Base {
  return {
    ...settings,
    system,
    tools,
    ...(summary !== undefined && { summary }),
    ...(vendorSummary && { vendorSummary }),
  };
}

/** Says that texts were shortened, because nothing else was left to make the request fit. */
function* reportLimited({
  textLimit,
  fullTexts = {},
}: Pick<Compaction, 'textLimit' | 'fullTexts'>): Generator<AgentEvent> {
  if (textLimit === undefined) return;
  const files = Object.values(fullTexts);
  const where = files.length === 0 ? '' : ` The model can read your full prompt in ${files.join(', ')}.`;
  const text = `The conversation exceeds the model's context window. Long texts are shortened.${where}`;
  yield { type: 'notice', level: 'warn', text };
}
