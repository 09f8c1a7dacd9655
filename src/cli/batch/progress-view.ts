import { shortUsd } from '../../contract/limit.ts';
import type { Progress } from '../../fleet/batch/progress.ts';
import { costText, resultText } from '../../fleet/batch/report.ts';
import type { BatchEvent } from '../../fleet/batch/run-batch.ts';
import type { TaskResult } from '../../fleet/task.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import { visible } from '../../lib/text/printable.ts';

export type ProgressView = {
  take(event: BatchEvent, progress: Progress): void;
  /** For a message above the bar. */
  print(text: string): void;
  end(): void;
};

type Out = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

const BAR = 20;
const TICK_MS = 1_000;
const MAX_REASON = 200;

/** One updating line on a terminal, a line per task elsewhere. */
export function progressView(out: Out, { env }: { env: NodeJS.ProcessEnv }): ProgressView {
  const isCi = env.CI !== undefined && !['', '0', 'false'].includes(env.CI);
  if (!out.isTTY || isCi || env.TERM === 'dumb') return plainLines(out);
  return progressBar(out, { color: !env.NO_COLOR });
}

function plainLines(out: Out): ProgressView {
  const print = (text: string) => void out.write(`${text}\n`);
  return {
    print,
    end: () => undefined,
    take(event, { done, failed, total }) {
      const { type } = event;
      if (type === 'queued') for (const labels of event.unserved) print(unservedText(labels));
      else if (type === 'note') print(`${event.task.id}: ${visible(event.text)}`);
      else if (type === 'interrupted') print(`${event.task.id}: interrupted`);
      else if (type === 'ended') print(`[${done + failed}/${total}] ${endedText(event.result)}`);
    },
  };
}

function unservedText(labels: readonly string[]): string {
  const [which, flag] =
    labels.length === 0
      ? ['', '']
      : [` with the labels ${labels.join(', ')}`, ` --labels ${labels.join(',')}`];
  return `No worker${which} is running yet. Start one with: aca worker --queue URL${flag}`;
}

function endedText(result: TaskResult): string {
  const { task, durationMs, costUsd } = result;
  const cost = costText({ costUsd: costUsd ?? 0, hasUnknownCost: costUsd === null });
  const line = `${task}: ${resultText(result)}, ${elapsed(durationMs)}, ${cost}`;
  return result.status === 'done' ? line : `${line}. ${reasonText(result)}`;
}

/** One line, without what would confuse a terminal. */
function reasonText({ reason = '' }: Pick<TaskResult, 'reason'>): string {
  const line = visible(reason).replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON - 1)}…` : line;
}

function progressBar(out: Out, { color }: { color: boolean }): ProgressView {
  let progress: Progress | null = null;
  let tickAt = 0;
  const clear = '\r\u001b[K';
  const paint = () => {
    if (!progress) return;
    const passed = performance.now() - tickAt;
    const { elapsedMs, leftMs } = progress;
    const now = {
      ...progress,
      elapsedMs: elapsedMs + passed,
      leftMs: leftMs && Math.max(0, leftMs - passed),
    };
    out.write(`${clear}${barLine(now, { width: (out.columns || 80) - 1, color })}`);
  };
  const print = (text: string) => {
    out.write(`${clear}${text}\n`);
    paint();
  };
  const ticks = setInterval(paint, TICK_MS);
  ticks.unref();
  return {
    print,
    take(event, now) {
      progress = now;
      tickAt = performance.now();
      if (event.type === 'queued') for (const labels of event.unserved) print(unservedText(labels));
      if (event.type === 'note') print(`${event.task.id}: ${visible(event.text)}`);
      else if (event.type === 'ended' && event.result.status === 'failed') print(endedText(event.result));
      else paint();
    },
    end() {
      clearInterval(ticks);
      if (progress) out.write(clear);
      progress = null;
    },
  };
}

/** As much as fits: the first parts matter most. */
export function barLine(progress: Progress, { width, color }: { width: number; color: boolean }): string {
  const { total, done, failed, running, perMinute, leftMs } = progress;
  const ended = done + failed;
  const full = Math.floor((ended / Math.max(1, total)) * BAR);
  const red = (text: string) => (color ? `\u001b[31m${text}\u001b[39m` : text);
  const parts: { text: string; shown?: string }[] = [
    { text: `${ended}/${total}` },
    ...(failed > 0 ? [{ text: `${failed} failed`, shown: red(`${failed} failed`) }] : []),
    ...(running === null ? [] : [{ text: `${running} running` }]),
    { text: progress.hasUnknownCost ? `${shortUsd(progress.costUsd)}+` : shortUsd(progress.costUsd) },
    ...(leftMs === null || ended === total ? [] : [{ text: `${elapsed(leftMs)} left` }]),
    ...(perMinute === null ? [] : [{ text: `${rate(perMinute)}/min` }]),
    { text: elapsed(progress.elapsedMs) },
  ];
  const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`;
  let used = 0;
  const shown: string[] = [];
  // The bar is the first thing to go.
  for (const part of [...parts.slice(0, 1), { text: bar }, ...parts.slice(1)]) {
    const needs = part.text.length + (shown.length > 0 ? 2 : 0);
    if (used + needs > width) {
      if (part.text === bar) continue;
      break;
    }
    used += needs;
    shown.push(part.shown ?? part.text);
  }
  return shown.join('  ');
}

function rate(perMinute: number): string {
  return perMinute >= 10 ? String(Math.round(perMinute)) : perMinute.toFixed(1);
}
