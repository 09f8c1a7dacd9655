import { type Summary, summarize, type Task } from '../../context/summarize.ts';
import type { Message } from '../../contract/message.ts';
import type { Compaction } from '../../contract/view.ts';
import { limited } from '../../lib/async/abort.ts';
import type { GetBackgroundModel } from '../models/background-model.ts';
import type { SummaryAtVendor } from '../models/vendor-summary.ts';

/** What to summarize: the messages from the last compaction to `keepFrom`. */
export type Job = {
  messages: readonly Message[];
  keepFrom: number;
  previous: Compaction | undefined;
  focus: string;
  budget: number;
  /** Summarizes them at their vendor; null if it cannot. */
  atVendor?(signal: AbortSignal): Promise<SummaryAtVendor | null>;
};

/** The vendor's own form is there if it made one. */
type Written = Summary & Partial<Pick<SummaryAtVendor, 'vendorSummary'>>;

export type Summarizer = {
  /** Starts writing a summary in the background that will be needed soon. Never two at once. */
  prepare(job: Job): void;
  /** Waits for the prepared summary, if it still matches these messages. */
  prepared(job: Pick<Job, 'messages' | 'previous'>, signal: AbortSignal): Promise<Prepared | null>;
  write(job: Job, signal: AbortSignal): Promise<Written>;
  /** Ends background work. */
  close(): void;
};

type Prepared = Written & { keepFrom: number };

/** A low figure: a model must not be sent more than it can take. */
const CHARACTERS_PER_TOKEN = 3;
const MAX_PROMPT_TOKENS = 100_000;
/** For the prompt itself. */
const OVERHEAD = 1000;
const TIMEOUT_MS = 90_000;

/** Summaries by the vendor, the cheapest available model, the main one, or by none. */
export function createSummarizer(backgroundModel: GetBackgroundModel): Summarizer {
  let waiting: { job: Job; stop: AbortController; summary: Promise<Written | null> } | undefined;

  async function write(job: Job, signal: AbortSignal): Promise<Written> {
    const made = await job.atVendor?.(limited(TIMEOUT_MS, signal));
    if (!made) return inWords(job, signal);
    const { vendorSummary, text, by } = made;
    return text === undefined
      ? { ...(await inWords(job, signal)), vendorSummary }
      : { text, by, vendorSummary };
  }

  async function inWords(job: Job, signal: AbortSignal): Promise<Summary> {
    const from = job.previous?.keepFrom ?? 0;
    const messages = job.messages.slice(from, job.keepFrom);
    const size = messages.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0);
    const wanted = Math.min(MAX_PROMPT_TOKENS, Math.ceil(size / CHARACTERS_PER_TOKEN)) + OVERHEAD;
    const model = await backgroundModel({ window: wanted + job.budget });
    const room = (model?.contextWindow ?? 0) - job.budget - OVERHEAD;
    const timed = limited(TIMEOUT_MS, signal);
    const task: Task = {
      messages,
      earlier: job.previous?.summary ?? null,
      focus: job.focus,
      budget: job.budget,
      charactersPerToken: CHARACTERS_PER_TOKEN,
      maxPrompt: Math.max(4000, Math.min(wanted, room) * CHARACTERS_PER_TOKEN),
    };
    return summarize(
      task,
      model && ((prompt, maxTokens) => model.complete(prompt, { maxTokens, signal: timed })),
    );
  }

  function isSameJob(
    { job }: { job: Job },
    { messages, previous }: Pick<Job, 'messages' | 'previous'>,
  ): boolean {
    // A conversation that was rewound or compacted since no longer matches.
    return previous === job.previous && messages[job.keepFrom - 1] === job.messages[job.keepFrom - 1];
  }

  function drop(): void {
    waiting?.stop.abort();
    waiting = undefined;
  }

  return {
    prepare(job) {
      if (waiting && isSameJob(waiting, job)) return;
      drop();
      const stop = new AbortController();
      // A snapshot; the list itself grows.
      const fixed = { ...job, messages: job.messages.slice(0, job.keepFrom) };
      const summary = write(fixed, stop.signal).then(
        (written) => (written.by === 'extract' ? null : written),
        () => null,
      );
      waiting = { job: fixed, stop, summary };
    },
    async prepared(now, signal) {
      const found = waiting;
      if (!found || !isSameJob(found, now)) {
        drop();
        return null;
      }
      const stop = () => found.stop.abort();
      signal.addEventListener('abort', stop, { once: true });
      const summary = await found.summary;
      signal.removeEventListener('abort', stop);
      if (waiting === found) waiting = undefined;
      return summary && { ...summary, keepFrom: found.job.keepFrom };
    },
    write,
    close: drop,
  };
}
