import { cutLine } from '../text/cut-line.ts';
import { truncateText, truncationMark } from '../text/truncate.ts';
import { withoutProgress } from './progress-noise.ts';
import { failureLines } from './test-reports.ts';

/** The share of the start: what matters about a command stands mostly at its end. */
const HEAD_SHARE = 0.2;
/** Counted for the note that stands in place of lines, with its line break. */
const GAP_LENGTH = '[100000 lines left out]'.length + 1;

/**
 * Shortens the output of a program to `max` characters: progress lines are the first to go; of a test report,
 * failing names and assertions stay; of the rest, the start and above all the end.
 */
export function shortenOutput(text: string, max: number): string {
  if (text.length <= max) return text;
  const calm = withoutProgress(text);
  if (calm.length <= max) return calm;
  const isFailure = failureLines(calm);
  if (isFailure) return keepFailures(calm.split('\n'), isFailure, max);
  const room = Math.max(0, max - truncationMark.length);
  const head = Math.floor(room * HEAD_SHARE);
  return truncateText(calm, { max, head, tail: room - head });
}

/** The number of the first line, from 1, that is missing in what `shortenOutput` made of a text. */
export function firstMissingLine(whole: string, shown: string): number {
  let same = 0;
  while (same < shown.length && whole[same] === shown[same]) same++;
  let line = 1;
  for (let at = whole.indexOf('\n'); at !== -1 && at < same; at = whole.indexOf('\n', at + 1)) line++;
  return line;
}

function keepFailures(lines: readonly string[], isFailure: (line: string) => boolean, max: number): string {
  const shown = lines.map((line) => cutLine(line));
  const kept = new Set<number>();
  let room = max - GAP_LENGTH;
  const isKept = (at: number) => kept.has(at) || at < 0 || at >= lines.length;
  /** A line may split a gap, or close it. */
  const costOf = (at: number) => {
    const beside = [at - 1, at + 1].filter(isKept).length;
    return (shown[at]?.length ?? 0) + 1 + (1 - beside) * GAP_LENGTH;
  };
  const keep = (at: number, limit: number): boolean => {
    if (isKept(at)) return true;
    const cost = costOf(at);
    if (room - cost < limit) return false;
    room -= cost;
    kept.add(at);
    return true;
  };
  // From the end: that is where runners sum up, with the names of all failures.
  for (let at = lines.length - 1; at >= 0; at--)
    if (isFailure(lines[at] ?? '') && keep(at, 0) && costOf(at + 1) <= 0) keep(at + 1, 0);
  const rest = room;
  for (let at = 0; at < lines.length && keep(at, rest * (1 - HEAD_SHARE)); ) at++;
  for (let at = lines.length - 1; at >= 0 && keep(at, 0); ) at--;
  const pieces: string[] = [];
  let left = 0;
  const note = () => {
    if (left > 0) pieces.push(`[${left} ${left === 1 ? 'line' : 'lines'} left out]`);
    left = 0;
  };
  for (const [at, line] of shown.entries()) {
    if (!kept.has(at)) {
      left++;
      continue;
    }
    note();
    pieces.push(line);
  }
  note();
  return pieces.join('\n');
}
