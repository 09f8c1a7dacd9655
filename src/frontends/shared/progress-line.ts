import { UserError } from '../../contract/errors.ts';
import type { Wait } from '../../lib/network/download-retry.ts';
import { fileSize } from '../../lib/text/file-size.ts';

export type Step = { done: number; total: number | null; bytesPerSecond: number };

type ProgressLine = { tell(step: Step): void; wait(wait: Wait): void; end(): void };

type Out = Pick<NodeJS.WritableStream, 'write'> & { isTTY?: boolean; columns?: number };

const BAR = 24;
/** Without a terminal, one line per tenth is enough. */
const TENTHS = 10;

/** Download progress: one updating line on a terminal, a few lines elsewhere. */
export function progressLine(label: string, out: Out): ProgressLine {
  let lastTenth = -1;
  let width = 0;
  /** The wait that was printed last, without its countdown. */
  let printed = '';
  const update = (text: string) => {
    // A line that wraps could not be updated.
    const line = text.slice(0, (out.columns || 80) - 1);
    out.write(`\r${line.padEnd(width)}`);
    width = line.length;
  };
  return {
    tell(step) {
      printed = '';
      if (out.isTTY) {
        update(`${label}  ${bar(step)} ${progressText(step)}`);
        return;
      }
      const tenth = step.total ? Math.floor((step.done / step.total) * TENTHS) : -1;
      if (tenth <= lastTenth) return;
      lastTenth = tenth;
      out.write(`${label}  ${progressText(step)}\n`);
    },
    wait(wait) {
      if (out.isTTY) update(waitText(wait));
      const which = `${wait.retry?.attempt} ${wait.reason}`;
      if (!out.isTTY && which !== printed) out.write(`${waitText(wait)}\n`);
      printed = which;
    },
    end() {
      if (out.isTTY && width > 0) out.write('\n');
    },
  };
}

/** A download with its progress and its pauses; when stopped, it can be resumed. */
export async function withProgress<T>(
  label: string,
  { signal, out }: { signal: AbortSignal; out: Out },
  download: (report: { progress(step: Step): void; waiting(wait: Wait): void }) => Promise<T>,
): Promise<T> {
  const line = progressLine(label, out);
  try {
    return await download({ progress: line.tell, waiting: line.wait });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new UserError('Stopped.', 'Run it again to resume.', { exit: 'error', cause: error });
  } finally {
    line.end();
  }
}

function waitText({ reason, retry }: Wait): string {
  if (!retry) return `${reason} Waiting until it is done.`;
  return `${reason} Retrying in ${retry.seconds}s (${retry.attempt} of ${retry.attempts}).`;
}

export function progressText({ done, total, bytesPerSecond }: Step): string {
  const speed = bytesPerSecond > 0 ? `, ${fileSize(bytesPerSecond)}/s` : '';
  if (!total) return `${fileSize(done)}${speed}`;
  const left = bytesPerSecond > 0 ? (total - done) / bytesPerSecond : 0;
  const time = left >= 1 ? `, ${timeText(left)} left` : '';
  return `${Math.floor((done / total) * 100)}% of ${fileSize(total)}${speed}${time}`;
}

function timeText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)}s` : `${Math.round(seconds / 60)} min`;
}

function bar({ done, total }: Step): string {
  if (!total) return '';
  const full = Math.min(BAR, Math.floor((done / total) * BAR));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`;
}
