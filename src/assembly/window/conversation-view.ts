import type { Controller } from '../../agent/controller.ts';
import type { Run } from '../../agent/run.ts';
import { keptMessages, tailStart } from '../../context/boundary.ts';
import { type Cause, type Draft, planCompaction } from '../../context/compact.ts';
import { nextFactor, promptTokens, tokensNow } from '../../context/count.ts';
import { type Fitted, fitMessages } from '../../context/fit.ts';
import { keptText, sentSummary } from '../../context/kept.ts';
import { endOfHead, headOf } from '../../context/show.ts';
import { budgetOf, type Limits, limitsOf } from '../../context/window.ts';
import type { Compacted } from '../../contract/command.ts';
import { ContextOverflowError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message, TextPart } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Session } from '../../contract/session.ts';
import type { Todo } from '../../contract/tool.ts';
import { type Compaction, type SessionView, wholeView } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { Helper } from '../models/background-model.ts';
import { createSummarizer, type Job } from './summarizer.ts';

/** What every request of a session begins with. */
export type Base = Omit<CompletionRequest, 'messages' | 'summary'>;

export type ViewDeps = {
  session: Session;
  /** All of the session's messages are there. */
  ready: Promise<void>;
  /** The model in use, its window, and most tokens of an answer: as it is asked for, and if need be. */
  answering(): { model: string; contextWindow: number; maxOutput: number; mostOutput?: number };
  /** Share of the window past which older messages are compacted. */
  threshold: number;
  base(): Promise<Base>;
  helper: Helper;
  todos(): readonly Todo[];
  /** Not there yet when the view is made. */
  controller(): Pick<Controller, 'changeView'>;
  /** Somebody may go on typing after a run: a summary may be prepared for it. */
  isWatched: boolean;
  /** Puts a text that is too long for the window where the model can read it in parts; null when it cannot. */
  keepText?(text: string): Promise<string | null>;
  /** Whether somebody wants older messages kept as they are, as long as they fit. */
  keepsAll?(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
};

/** `sent` is the request as it would go out now; `tokens` counts what it takes, `scale` is that for one of our estimate. */
type Measured = { sent: CompletionRequest; tokens: number; scale: number };

export type ConversationView = {
  /**
   * What to send of these messages: always something that fits, as far as they are what makes it too long. Throws where
   * it is by far too long all the same.
   */
  request(base: Base, messages: readonly Message[]): CompletionRequest;
  /** `base` is what the run's requests begin with; without it, they would begin as they do now. */
  makeRoom(...room: [...Parameters<Run['makeRoom']>, base?: Base]): ReturnType<Run['makeRoom']>;
  current(): SessionView;
  measure(): Promise<Measured>;
  compact(focus: string, signal: AbortSignal): Promise<Compacted | null>;
  limits(): Limits;
  /** A listener for the controller. */
  watch(event: AgentEvent): void;
  /** Ends what goes on in the background. */
  close(): void;
};

/** After an attempt that gained too little, so many messages go by before the next. */
const PAUSE = 8;
/** A change of what is known of a model's counting that is worth a line in the journal. */
const WORTH_NOTING = 0.03;
/** What is kept of a window that proved smaller than it was said to be. */
const SMALLER = 0.9;
/** Windows that our estimate, which errs on the high side, must go past before a request is not even sent. */
const FAR_TOO_LONG = 1.5;
/** What a compaction leaves of the room for messages, or the next one would come too soon. */
const GIVEN_BACK = 0.5;
/** What recent messages may take at most of what a request takes now. */
const RECENT = 0.4;
/** What a request is made to take after a refusal that nothing else helped against. */
const AFTER_REFUSAL = 0.7;
/** The least that an answer is asked for with. */
const LEAST_OUTPUT = 512;
/** A request that was refused is sent again only if it is smaller than that. */
const WORTH_SENDING = 0.97;
/** An answer that reached the limit so many messages ago still speaks for a higher one. */
const CUT_LATELY = 20;

/** What the model is shown of one session: joins the journal's view, the window, and the model for summaries. */
export function createConversationView(deps: ViewDeps): ConversationView {
  const { session } = deps;
  const summarizer = createSummarizer(deps.helper);
  /** By model: the share of its window that it really has, and the share left after refusals that nothing helped against. */
  const real = new Map<string, number>();
  const refused = new Map<string, number>();
  let estimated = 0;
  let idleUntil = 0;
  /** Most characters of a text, because the last messages would not fit otherwise; and the least that was told. */
  let textLimit = Number.POSITIVE_INFINITY;
  let told = { limit: Number.POSITIVE_INFINITY, dropped: false };
  const places = new WeakMap<TextPart, string>();
  let kept:
    | { compaction: Compaction; last: Message | undefined; head: readonly Message[] | null }
    | undefined;

  const current = () => session.view ?? wholeView;
  const lastCompaction = () => current().compactions.at(-1);
  const factor = () => current().factors[deps.answering().model] ?? 1;
  const budget = () => budgetOf(deps.answering().contextWindow);
  const keep = () => keptMessages(deps.answering().contextWindow);

  function limits(shares = real): Limits {
    const { model, contextWindow, maxOutput } = deps.answering();
    return limitsOf(contextWindow * (shares.get(model) ?? 1), { threshold: deps.threshold, maxOutput });
  }

  /** A small window is half full before anything is said: what counts is what the conversation itself gets back. */
  function withTarget(fixed: number): Limits {
    const all = limits();
    const half = fixed + (all.compactAt - fixed) * GIVEN_BACK;
    return { ...all, target: Math.max(0, Math.min(all.target, half)) };
  }

  /** Made once for a compaction: what is sent again must be the same objects, for those who remember them. */
  function shown(messages: readonly Message[]): readonly Message[] {
    const compaction = lastCompaction();
    if (!compaction) return messages;
    const last = messages[compaction.at - 1];
    if (kept?.compaction !== compaction || kept.last !== last)
      kept = { compaction, last, head: headOf(messages, compaction) };
    return kept.head ? [...kept.head, ...messages.slice(endOfHead(messages, compaction))] : messages;
  }

  const sizeOf = (request: CompletionRequest, scale: number) => scale * estimateTokens(request);

  function withSummary(base: Base): Base & { summary?: string } {
    const compaction = lastCompaction();
    const summary = compaction && sentSummary(compaction);
    return summary === undefined ? base : { ...base, summary };
  }

  /** No text is longer than what leaves room for the last messages, which no compaction touches. */
  function seen(messages: readonly Message[]): readonly Message[] {
    return textLimit === Number.POSITIVE_INFINITY
      ? messages
      : fitMessages(messages, { most: textLimit, fits: () => true, placeOf: (part) => places.get(part) })
          .messages;
  }

  function measureOf(base: Base, messages: readonly Message[]): Measured {
    const limited = seen(messages);
    const sent = { ...withSummary(base), messages: shown(limited) };
    const whole = estimateTokens(sent);
    const { model } = deps.answering();
    const tokens = tokensNow(limited, {
      model,
      since: current().countFrom,
      whole,
      estimate: (some) => estimateTokens({ model, system: '', messages: some }),
      factor: factor(),
    });
    return { sent, tokens, scale: tokens / Math.max(1, whole) };
  }

  async function measure(base?: Base): Promise<Measured> {
    await deps.ready;
    return measureOf(base ?? (await deps.base()), session.messages);
  }

  function fitted({ sent, tokens, scale }: Measured): Fitted {
    const { room } = limits(refused);
    if (tokens <= room) return { messages: sent.messages, limit: textLimit, dropped: 0 };
    return fitMessages(sent.messages, {
      fits: (messages) => sizeOf({ ...sent, messages }, scale) <= room,
      placeOf: (part) => places.get(part),
    });
  }

  /** The last messages stay, whatever is compacted: what is too long among them is shortened first. */
  function limitTexts(base: Base): void {
    const before = textLimit;
    textLimit = Number.POSITIVE_INFINITY;
    const { sent, tokens, scale } = measureOf(base, session.messages);
    const { compactAt, target } = limits(refused);
    if (tokens <= compactAt) return;
    const { messages } = session;
    const tail = messages.slice(tailStart(messages, { budget: 0, count: () => 1, keep: keep() }));
    const fits = (most: number) => (some: readonly Message[]) =>
      sizeOf({ ...sent, messages: some }, scale) <= most;
    // Once shortened, they stay as they are: what is sent again should be the same bytes.
    if (!fits(compactAt)(tail)) textLimit = Math.min(before, fitMessages(tail, { fits: fits(target) }).limit);
  }

  /** Texts that are shortened from now on are put where the model can read them; says so, once for each change. */
  async function* tellShortened({ limit, dropped }: Fitted): AsyncGenerator<AgentEvent> {
    if (limit >= told.limit && (told.dropped || dropped === 0)) return;
    told = { limit, dropped: dropped > 0 };
    const long = session.messages
      .flatMap(({ role, content }) => (role === 'user' ? content : []))
      .filter((part) => part.type === 'text' && part.text.length > limit);
    for (const part of long) {
      if (part.type !== 'text' || places.has(part)) continue;
      const place = await deps.keepText?.(part.text);
      if (place) places.set(part, place);
    }
    const kept = long.flatMap((part) => (part.type === 'text' ? (places.get(part) ?? []) : []));
    const where =
      kept.length === 0 ? '' : ` The model can read the whole of your prompt in ${kept.join(', ')}.`;
    const what = dropped > 0 ? 'Old messages are left out and long texts' : 'Long texts';
    const text = `The conversation is larger than the model's window. ${what} are sent in part.${where}`;
    yield { type: 'notice', level: 'warn', text };
  }

  /** A prompt near the window's end leaves less for the answer; one that was cut off is asked for with more. */
  function maxTokensFor(base: Base, messages: readonly Message[], tokens: number): { maxTokens?: number } {
    const { contextWindow, maxOutput, mostOutput = maxOutput } = deps.answering();
    const wasCut = messages
      .slice(-CUT_LATELY)
      .some((message) => message.role === 'assistant' && message.stopReason === 'max_tokens');
    const wanted = base.maxTokens ?? (wasCut ? mostOutput : maxOutput);
    const left = Math.max(LEAST_OUTPUT, Math.floor(contextWindow - tokens));
    if (wanted > left) return { maxTokens: left };
    return base.maxTokens === undefined && wasCut ? { maxTokens: wanted } : {};
  }

  async function compact(
    { sent, tokens, scale }: Measured,
    { cause, focus, signal }: { cause: Cause; focus: string; signal: AbortSignal },
  ): Promise<Compacted | null> {
    if (cause !== 'overflow' && (await deps.keepsAll?.(cause, focus))) return null;
    const messages = seen(session.messages);
    const previous = lastCompaction();
    const { recent, summary: room } = budget();
    const compaction = await planCompaction({
      messages,
      previous,
      cause,
      limits: withTarget(sizeOf({ ...sent, summary: '', messages: [] }, scale)),
      recent: cause === 'asked' ? 0 : Math.min(recent, tokens * RECENT),
      keep: keep(),
      before: tokens,
      size: (some, summary) => {
        const { summary: _old, ...base } = sent;
        return scale * estimateTokens({ ...base, messages: some, ...(summary !== undefined && { summary }) });
      },
      count: (message) => scale * estimateTokens({ model: '', system: '', messages: [message] }),
      summarize: (keepFrom) => summarize({ messages, keepFrom, previous, focus, budget: room }, signal),
    });
    if (!compaction || signal.aborted) return null;
    await deps.controller().changeView({ type: 'compaction', ...compaction });
    return { before: compaction.tokensBefore, after: compaction.tokensAfter, by: compaction.by };
  }

  async function summarize(job: Job, signal: AbortSignal): Promise<Draft | null> {
    const { messages, previous } = job;
    const ready = job.focus === '' ? await summarizer.prepared(job, signal) : null;
    const keepFrom = ready?.keepFrom ?? job.keepFrom;
    if (keepFrom <= (previous?.keepFrom ?? 0)) return null;
    const summary = ready ?? (await summarizer.write(job, signal));
    const squeezeUntil = Math.max(previous?.squeezeUntil ?? 0, keepFrom);
    return {
      summary: summary.text,
      kept: keptText({ pins: current().pins, todos: deps.todos(), messages, keepFrom }),
      keepFrom,
      squeezeUntil,
      level: squeezeUntil > keepFrom ? (previous?.level ?? 0) : 0,
      at: messages.length,
      by: summary.by,
    };
  }

  function prepare({ tokens, scale }: Measured): void {
    if (tokens < limits().prepareAt) return;
    const { messages } = session;
    const previous = lastCompaction();
    const { recent, summary } = budget();
    const count = (message: Message) =>
      scale * estimateTokens({ model: '', system: '', messages: [message] });
    const keepFrom = tailStart(messages, { budget: recent, count, keep: keep() });
    if (keepFrom > (previous?.keepFrom ?? 0))
      summarizer.prepare({ messages, keepFrom, previous, focus: '', budget: summary });
  }

  async function* makeSmaller(
    cause: 'routine' | 'overflow',
    signal: AbortSignal,
    base: Base,
  ): AsyncGenerator<AgentEvent, boolean> {
    const measured = measureOf(base, session.messages);
    const { tokens } = measured;
    const { length } = session.messages;
    const { compactAt } = limits();
    if (cause === 'routine' && length < idleUntil) return false;
    if (cause === 'routine' && tokens <= compactAt) {
      prepare(measured);
      return false;
    }
    const done = await compact(measured, { cause, focus: '', signal });
    const { model } = deps.answering();
    // The window is smaller than we were told.
    if (cause === 'overflow' && tokens < compactAt)
      real.set(model, ((real.get(model) ?? 1) * SMALLER * tokens) / compactAt);
    // After a refusal, the smaller request is given its chance before anything else is done.
    idleUntil = done ? length + (cause === 'overflow' ? 1 : 0) : length + PAUSE;
    if (done) yield { type: 'compacted', ...done };
    if (done || cause === 'routine' || signal.aborted) return done !== null;
    return shortenTexts(measured, base);
  }

  /** Nothing is left to compact: the texts themselves are sent in part. Whether that makes the request smaller. */
  function shortenTexts(measured: Measured, base: Base): boolean {
    const { model } = deps.answering();
    const before = sentSize(measured);
    const share = refused.get(model) ?? 1;
    const { room } = limits(refused);
    refused.set(model, (share * AFTER_REFUSAL * Math.min(before, room)) / room);
    const isSmaller = sentSize(measureOf(base, session.messages)) < before * WORTH_SENDING;
    // Where not even that helps, the window is not what was refused.
    if (!isSmaller) refused.set(model, share);
    return isSmaller;
  }

  function sentSize(measured: Measured): number {
    return sizeOf({ ...measured.sent, messages: fitted(measured).messages }, measured.scale);
  }

  return {
    request(base, messages) {
      const measured = measureOf(base, messages);
      const { messages: fitting } = fitted(measured);
      const request = { ...measured.sent, messages: fitting };
      estimated = estimateTokens(request);
      const { contextWindow } = deps.answering();
      if (estimated > contextWindow * FAR_TOO_LONG) throw new ContextOverflowError(estimated, contextWindow);
      return { ...request, ...maxTokensFor(base, messages, estimated * measured.scale) };
    },
    current,
    measure: () => measure(),
    limits: () => limits(),

    async *makeRoom(cause, signal, base) {
      await deps.ready;
      const begin = base ?? (await deps.base());
      limitTexts(begin);
      const smaller = yield* makeSmaller(cause, signal, begin);
      if (!signal.aborted) yield* tellShortened(fitted(measureOf(begin, session.messages)));
      return smaller;
    },

    compact: async (focus, signal) => compact(await measure(), { cause: 'asked', focus, signal }),

    watch(event) {
      if (event.type === 'end' && deps.isWatched) void measure().then(prepare, () => undefined);
      if (event.type !== 'usage' || estimated === 0) return;
      const next = nextFactor(factor(), promptTokens(event.usage), estimated);
      if (Math.abs(next - factor()) > WORTH_NOTING * factor())
        void deps
          .controller()
          .changeView({ type: 'estimate', model: deps.answering().model, factor: Number(next.toFixed(3)) });
    },

    close: () => summarizer.close(),
  };
}
