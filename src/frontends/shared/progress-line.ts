import { UserError } from '../../contract/errors.ts';
import { fileSize } from '../../lib/text/file-size.ts';

export type Step = { done: number; total: number | null; bytesPerSecond: number };

type ProgressLine = { tell(step: Step): void; end(): void };

type Out = Pick<NodeJS.WritableStream, 'write'> & { isTTY?: boolean };

const BAR = 24;
/** Without a terminal, one line per tenth is enough. */
const TENTHS = 10;

/** Download progress: one updating line on a terminal, a few lines elsewhere. */
export function progressLine(label: string, out: Out): ProgressLine {
  let lastTenth = -1;
  let width = 0;
  return {
    tell(step) {
      if (out.isTTY) {
        const line = `${label}  ${bar(step)} ${progressText(step)}`;
        out.write(`\r${line.padEnd(width)}`);
        width = line.length;
        return;
      }
      const tenth = step.total ? Math.floor((step.done / step.total) * TENTHS) : -1;
      if (tenth <= lastTenth) return;
      lastTenth = tenth;
      out.write(`${label}  ${progressText(step)}\n`);
    },
    end() {
      if (out.isTTY && width > 0) out.write('\n');
    },
  };
}

/** A download with its progress; when stopped, it can be resumed. */
export async function withProgress(
  label: string,
  { signal, out }: { signal: AbortSignal; out: Out },
  download: (progress: (step: Step) => void) => Promise<unknown>,
): Promise<void> {
  const line = progressLine(label, out);
  try {
    await download((step) => line.tell(step));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new UserError('Stopped.', 'Run it again to resume.', { exit: 'error', cause: error });
  } finally {
    line.end();
  }
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
