import { distance } from 'fastest-levenshtein';
import { numbered } from './text.ts';

const MAX_COMPARED = 5_000;
const MAX_LENGTH = 200;
const MAX_SHOWN = 10;
const MAX_WANTED = 100;

/** The lines of a file most similar to the wanted ones, numbered; null if nothing is close. */
export function nearestText(lines: readonly string[], wanted: readonly string[]): string | null {
  const targets = wanted.slice(0, MAX_WANTED).map((line) => line.trim());
  const start = sameLines(lines, targets) ?? similarLine(lines, targets);
  if (start === null) return null;
  const shown = lines.slice(start, start + Math.min(wanted.length, MAX_SHOWN));
  return numbered(shown.map(cut), start);
}

/** Where most of the wanted lines occur, ignoring whitespace; null if none does. */
function sameLines(lines: readonly string[], targets: readonly string[]): number | null {
  const places = new Map<string, number[]>();
  for (const [i, target] of targets.entries()) {
    if (target !== '') places.set(target, [...(places.get(target) ?? []), i]);
  }
  const votes = new Map<number, number>();
  let best: { start: number; votes: number } | null = null;
  for (const [i, line] of lines.entries()) {
    const text = line.trim();
    for (const place of places.get(text) ?? []) {
      const start = Math.max(0, i - place);
      // A line with only a bracket says little about the position.
      const total = (votes.get(start) ?? 0) + text.length;
      votes.set(start, total);
      if (total > (best?.votes ?? 0)) best = { start, votes: total };
    }
  }
  return best?.start ?? null;
}

/** Where the text would start if its first line is the most similar line. */
function similarLine(lines: readonly string[], targets: readonly string[]): number | null {
  const first = targets.findIndex((target) => target !== '');
  const target = targets[first]?.slice(0, MAX_LENGTH);
  if (target === undefined) return null;

  const limit = Math.floor(target.length * 0.4);
  let best: { index: number; steps: number } | null = null;
  let compared = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length < target.length - limit) continue;
    const text = line.trim().slice(0, MAX_LENGTH);
    if (text === '' || Math.abs(text.length - target.length) > limit) continue;
    if (++compared > MAX_COMPARED) break;
    const steps = distance(text, target);
    if (steps <= limit && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { index, steps };
  }
  return best && Math.max(0, best.index - first);
}

function cut(line: string): string {
  return line.length <= 2 * MAX_LENGTH ? line : `${line.slice(0, 2 * MAX_LENGTH)} [line cut]`;
}
