import { pause } from '../async/abort.ts';

/**
 * - `unreachable`: no answer, or not in time.
 * - `refused`: an error response with this `status`.
 * - `cut`: the connection broke repeatedly; the partial file is kept and resumed next time.
 * - `mismatch`: wrong checksum; the file is deleted.
 * - `disk_full`: no space left; the partial file is kept.
 */
export type DownloadFault = 'unreachable' | 'certificate' | 'refused' | 'cut' | 'mismatch' | 'disk_full';

export class DownloadError extends Error {
  override name = 'DownloadError';
  readonly fault: DownloadFault;
  readonly status: number | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: DownloadFault,
    message: string,
    options?: ErrorOptions & { status?: number; retryAfterMs?: number | undefined },
  ) {
    super(message, options);
    this.fault = fault;
    this.status = options?.status;
    this.retryAfterMs = options?.retryAfterMs;
  }

  /** Whether a later try may succeed. */
  get isTransient(): boolean {
    return this.fault === 'unreachable' || this.fault === 'cut' || TRANSIENT.has(this.status ?? 0);
  }
}

const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Why a download waits. `retry` counts down; null while another process downloads the same file. */
export type Wait = {
  reason: string;
  retry: { seconds: number; attempt: number; attempts: number } | null;
};

export type RetryOptions = {
  signal: AbortSignal;
  /** Called at once, and then every second. */
  waiting?(wait: Wait): void;
  /** The pauses between tries; the last failure is thrown. */
  delaysMs?: readonly number[];
  /**
   * The host has answered before, so that no answer may be a short outage. Otherwise it is reported at once:
   * most likely there is no network, or no such host.
   */
  isReachable?: boolean;
};

/** One minute in total: longer than a router restarts or a load balancer switches. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
/** Longer than this nobody watches a countdown. */
const LONGEST_ASKED_MS = 300_000;

/** Repeats a request after transient failures. `progressed` resets the number of tries. */
export async function withRetries<T>(
  request: (progressed: () => void) => Promise<T>,
  { signal, waiting, delaysMs = DELAYS_MS, isReachable = false }: RetryOptions,
): Promise<T> {
  let hasAnswered = isReachable;
  for (let attempt = 0; ; ) {
    try {
      return await request(() => {
        attempt = 0;
        hasAnswered = true;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DownloadError) || !error.isTransient) throw error;
      hasAnswered ||= error.fault !== 'unreachable';
      const delay = delaysMs[attempt++];
      const asked = error.retryAfterMs ?? 0;
      if (!hasAnswered || delay === undefined || asked > LONGEST_ASKED_MS) throw error;
      for (let left = Math.max(delay, asked); left > 0; left -= 1000) {
        const retry = { seconds: Math.ceil(left / 1000), attempt, attempts: delaysMs.length };
        waiting?.({ reason: error.message, retry });
        await pause(Math.min(left, 1000), signal);
      }
    }
  }
}
