import type { Controller } from '../agent/controller.ts';
import type { Run } from '../agent/loop.ts';
import { tailStart } from '../context/boundary.ts';
import { type Cause, type Draft, planCompaction } from '../context/compact.ts';
import { nextFactor, promptTokens, tokensNow } from '../context/count.ts';
import { keptText, sentSummary } from '../context/kept.ts';
import { endOfHead, headOf } from '../context/show.ts';
import { budgetOf, type Limits, limitsOf } from '../context/window.ts';
import type { Compacted } from '../contract/command.ts';
import { ContextOverflowError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Message } from '../contract/message.ts';
import type { CompletionRequest } from '../contract/provider.ts';
import type { Session } from '../contract/session.ts';
import type { Todo } from '../contract/tool.ts';
import { type Compaction, type SessionView, wholeView } from '../contract/view.ts';
import { estimateTokens } from '../providers/estimate.ts';
import type { Helper } from './side-jobs.ts';
import { createSummarizer, type Job } from './summarizer.ts';

/** What every request of a session begins with. */
export type Base = Omit<CompletionRequest, 'messages' | 'summary'>;

export type ViewDeps = {
  session: Session;
  /** All of the session's messages are there. */
  ready: Promise<void>;
  /** The model in use, its window, and most tokens of an answer. */
  answering(): { model: string; contextWindow: number; maxOutput: number };
  /** Share of the window past which older messages are compacted. */
  threshold: number;
  base(): Promise<Base>;
  helper: Helper;
  todos(): readonly Todo[];
  /** Not there yet when the view is made. */
  controller(): Pick<Controller, 'changeView'>;
  /** Somebody may go on typing after a run: a summary may be prepared for it. */
  isWatched: boolean;
  /** Whether somebody wants older messages kept as they are, as long as they fit. */
  keepsAll?(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
};

/** `sent` is the request as it would go out now; `tokens` counts what it takes, `scale` is that for one of our estimate. */
type Measured = { sent: CompletionRequest; tokens: number; scale: number };

export type ConversationView = {
  /** What to send of these messages. Throws where that is by far too long to be sent at all. */
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
/** What recent messages may take at most of what a request takes now. */
const RECENT = 0.4;

/** What the model is shown of one session: joins the journal's view, the window, and the model for summaries. */
export function createConversationView(deps: ViewDeps): ConversationView {
  const { session } = deps;
  const summarizer = createSummarizer(deps.helper);
  /** By model: the share of its window that it really has. */
  const real = new Map<string, number>();
  let estimated = 0;
  let idleUntil = 0;
  let kept:
    | { compaction: Compaction; last: Message | undefined; head: readonly Message[] | null }
    | undefined;

  const current = () => session.view ?? wholeView;
  const lastCompaction = () => current().compactions.at(-1);
  const factor = () => current().factors[deps.answering().model] ?? 1;
  const budget = () => budgetOf(deps.answering().contextWindow);

  function limits(): Limits {
    const { model, contextWindow, maxOutput } = deps.answering();
    return limitsOf(contextWindow * (real.get(model) ?? 1), { threshold: deps.threshold, maxOutput });
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

  function requestOf(base: Base, messages: readonly Message[]): CompletionRequest {
    const compaction = lastCompaction();
    const summary = compaction && sentSummary(compaction);
    const whole = { ...base, ...(summary !== undefined && { summary }), messages: shown(messages) };
    estimated = estimateTokens(whole);
    return whole;
  }

  async function measure(base?: Base): Promise<Measured> {
    await deps.ready;
    const sent = requestOf(base ?? (await deps.base()), session.messages);
    const { model } = deps.answering();
    const tokens = tokensNow(session.messages, {
      model,
      since: current().countFrom,
      whole: estimated,
      estimate: (messages) => estimateTokens({ model, system: '', messages }),
      factor: factor(),
    });
    return { sent, tokens, scale: tokens / Math.max(1, estimated) };
  }

  async function compact(
    { sent, tokens, scale }: Measured,
    { cause, focus, signal }: { cause: Cause; focus: string; signal: AbortSignal },
  ): Promise<Compacted | null> {
    if (cause !== 'overflow' && (await deps.keepsAll?.(cause, focus))) return null;
    const { messages } = session;
    const previous = lastCompaction();
    const { recent, summary: room } = budget();
    const compaction = await planCompaction({
      messages,
      previous,
      cause,
      limits: limits(),
      recent: cause === 'asked' ? 0 : Math.min(recent, tokens * RECENT),
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
    const keepFrom = tailStart(messages, { budget: recent, count });
    if (keepFrom > (previous?.keepFrom ?? 0))
      summarizer.prepare({ messages, keepFrom, previous, focus: '', budget: summary });
  }

  return {
    request(base, messages) {
      const request = requestOf(base, messages);
      const { contextWindow } = deps.answering();
      if (estimated > contextWindow * FAR_TOO_LONG) throw new ContextOverflowError(estimated, contextWindow);
      return request;
    },
    current,
    measure: () => measure(),
    limits,

    async *makeRoom(cause, signal, base) {
      const measured = await measure(base);
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
      return done !== null;
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
