import { distance } from 'fastest-levenshtein';
import { numbered } from './text.ts';

const MAX_COMPARED = 5_000;
const MAX_LENGTH = 200;
const MAX_SHOWN = 10;

/** The lines of a file that look most like the first line of `wanted`, numbered; null when nothing is close. */
export function nearestText(lines: readonly string[], wanted: readonly string[]): string | null {
  const first = wanted.findIndex((line) => line.trim() !== '');
  const target = wanted[first]?.trim().slice(0, MAX_LENGTH);
  if (target === undefined) return null;

  const best = bestLine(lines, target);
  if (best === null) return null;
  const start = Math.max(0, best - first);
  return numbered(lines.slice(start, start + Math.min(wanted.length, MAX_SHOWN)), start);
}

function bestLine(lines: readonly string[], target: string): number | null {
  const same = lines.findIndex((line) => line.trim() === target);
  if (same !== -1) return same;

  const limit = Math.floor(target.length * 0.4);
  let best: { index: number; steps: number } | null = null;
  let compared = 0;
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' || Math.abs(text.length - target.length) > limit) continue;
    if (++compared > MAX_COMPARED) break;
    const steps = distance(text, target);
    if (steps <= limit && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { index, steps };
  }
  return best?.index ?? null;
}
