import type { SessionWriter } from '../../agent/session-writer.ts';
import { tailStart } from '../../context/boundary.ts';
import { type Cause, type Draft, planCompaction } from '../../context/compact.ts';
import { keptText } from '../../context/kept.ts';
import { textKey } from '../../context/show.ts';
import { budgetOf } from '../../context/window.ts';
import type { Compacted } from '../../contract/command.ts';
import type { Message } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import type { Todo } from '../../contract/tool.ts';
import type { Compaction } from '../../contract/view.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { GetBackgroundModel } from '../models/background-model.ts';
import type { SummaryAtVendor } from '../models/vendor-summary.ts';
import type { Epochs } from './epochs.ts';
import type { Answering, ModelLimits } from './model-limits.ts';
import { type Measured, type SentMessages, sizeOf } from './sent-messages.ts';
import { createSummarizer, type Job } from './summarizer.ts';

export type CompactorDeps = {
  session: Session;
  answering(): Answering;
  limits: ModelLimits;
  sent: SentMessages;
  backgroundModel: GetBackgroundModel;
  /** Summarizes these messages at their vendor, as the conversation sent them. */
  atVendor(messages: readonly Message[], signal: AbortSignal): Promise<SummaryAtVendor | null>;
  todos(): readonly Todo[];
  writer: Pick<SessionWriter, 'changeView'>;
  epochs: Pick<Epochs, 'begin'>;
  /** Saves a text that is too long for the window where the model can read it in parts; null on failure. */
  keepText?(text: string): Promise<string | null>;
  /** Whether a hook vetoes compaction, as long as everything fits. */
  keepsAll?(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
};

export type Compactor = {
  /** Null if nothing was gained. */
  compact(
    measured: Measured,
    options: { cause: Cause; focus: string; signal: AbortSignal },
  ): Promise<(Compacted & Pick<Compaction, 'textLimit' | 'fullTexts'>) | null>;
  /** Starts a summary in the background if one will be needed soon. */
  prepare(measured: Measured): void;
  close(): void;
};

/** Maximum share of recent messages in the current request size. */
const RECENT = 0.4;

/** Replaces older messages by a summary in what is sent. */
export function createCompactor(deps: CompactorDeps): Compactor {
  const { session, limits, sent } = deps;
  const summarizer = createSummarizer(deps.backgroundModel);
  const budget = () => budgetOf(deps.answering().contextWindow);
  const counter = (scale: number) => (message: Message) =>
    scale * estimateTokens({ model: '', system: '', messages: [message] });

  async function summarize(job: Job, signal: AbortSignal): Promise<Draft | null> {
    const { messages, previous } = job;
    const ready = job.focus === '' ? await summarizer.prepared(job, signal) : null;
    const keepFrom = ready?.keepFrom ?? job.keepFrom;
    if (keepFrom <= (previous?.keepFrom ?? 0)) return null;
    const summary = ready ?? (await summarizer.write(job, signal));
    const squeezeUntil = Math.max(previous?.squeezeUntil ?? 0, keepFrom);
    return {
      summary: summary.text,
      ...(summary.vendorSummary && { vendorSummary: summary.vendorSummary }),
      kept: keptText({ pins: sent.view.pins, todos: deps.todos(), messages, keepFrom }),
      keepFrom,
      squeezeUntil,
      level: squeezeUntil > keepFrom ? (previous?.level ?? 0) : 0,
      at: messages.length,
      by: summary.by,
    };
  }

  function withVendor(job: Job): Job {
    const before = job.messages.slice(0, job.keepFrom);
    return { ...job, atVendor: (signal) => deps.atVendor(before, signal) };
  }

  return {
    async compact({ sent: request, tokens, scale }, { cause, focus, signal }) {
      if (cause !== 'overflow' && (await deps.keepsAll?.(cause, focus))) return null;
      const { messages } = session;
      const { summary: _summary, vendorSummary: _made, ...prefix } = request;
      const previous = sent.lastCompaction;
      const { recent, summary: room } = budget();
      const compaction = await planCompaction({
        messages,
        previous,
        cause,
        limits: limits.withTarget(sizeOf({ ...prefix, messages: [] }, scale)),
        recent: cause === 'asked' ? 0 : Math.min(recent, tokens * RECENT),
        keep: sent.keep,
        before: tokens,
        size: (some, summary) => {
          return sizeOf({ ...prefix, messages: some, ...(summary !== undefined && { summary }) }, scale);
        },
        count: counter(scale),
        summarize: (keepFrom) => {
          const job = { messages, keepFrom, previous, focus, budget: room };
          // The vendor knows no focus, and what it has just rejected does not fit there either.
          return summarize(focus === '' && cause !== 'overflow' ? withVendor(job) : job, signal);
        },
      });
      if (!compaction || signal.aborted) return null;
      const { tokensBefore: before, tokensAfter: after, by, textLimit } = compaction;
      const fullTexts = await savedTexts(messages, compaction, deps.keepText);
      await deps.writer.changeView({ type: 'compaction', ...compaction, ...(fullTexts && { fullTexts }) });
      await deps.epochs.begin('compaction');
      const isShorter = textLimit !== undefined && textLimit !== previous?.textLimit;
      return {
        before,
        after,
        by,
        ...(isShorter && { textLimit }),
        ...(isShorter && fullTexts && { fullTexts }),
      };
    },

    prepare({ tokens, scale }) {
      if (tokens < limits.now().prepareAt) return;
      const { messages } = session;
      const previous = sent.lastCompaction;
      const { recent, summary } = budget();
      const keepFrom = tailStart(messages, { budget: recent, count: counter(scale), keep: sent.keep });
      if (keepFrom > (previous?.keepFrom ?? 0))
        summarizer.prepare(withVendor({ messages, keepFrom, previous, focus: '', budget: summary }));
    },

    close: () => summarizer.close(),
  };
}

/** The prompts that a limit shortens, in files. */
async function savedTexts(
  messages: readonly Message[],
  { textLimit, fullTexts }: Pick<Compaction, 'textLimit' | 'fullTexts'>,
  keepText: CompactorDeps['keepText'],
): Promise<Compaction['fullTexts']> {
  if (textLimit === undefined) return undefined;
  const files = new Map(Object.entries(fullTexts ?? {}));
  const texts = messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  for (const text of texts) {
    if (text.length <= textLimit || files.has(textKey(text))) continue;
    const file = await keepText?.(text);
    if (file) files.set(textKey(text), file);
  }
  return Object.fromEntries(files);
}
