import type { Draft, Refusal } from './plan-edit.ts';
import { findText, flatten, lineAt } from './replace-text.ts';
import { showChange } from './show-change.ts';
import { toUnits, unitsOf } from './units.ts';

/** Lines of the file as it is now, from 1. */
type LineRange = { first: number; last: number };

/**
 * Whether texts can be replaced although the file changed since the model saw it: each must occur exactly once, and not
 * where it changed. Returns notes on the change.
 */
export async function checkChange(
  { seenBytes, encoding, units }: Draft,
  path: string,
  texts: readonly string[],
): Promise<{ notes: string[] } | Refusal> {
  if (!seenBytes) return { notes: [] };
  const before = toUnits(seenBytes, encoding);
  const { patch } = await showChange(path, { before, after: units, encoding });
  const changed = changedLines(patch);
  const flat = flatten(units);
  for (const text of texts) {
    const old = unitsOf(text, encoding);
    const [place, another] = old === null || old === '' ? [] : findText(flat, old);
    if (!place || another) return stale(path);
    const lines = {
      first: lineAt(flat, place.start),
      last: lineAt(flat, Math.max(place.start, place.end - 1)),
    };
    if (changed.some((range) => range.first <= lines.last && lines.first <= range.last)) return stale(path);
  }
  const where = changed
    .slice(0, 10)
    .map(({ first, last }) => (first >= last ? `${first}` : `${first}-${last}`));
  const more = changed.length > where.length ? ', …' : '';
  const which = where.length === 0 ? '' : ` (now lines ${where.join(', ')}${more})`;
  return { notes: [`The file was changed elsewhere since you read it${which}; that change was kept.`] };
}

function stale(path: string): Refusal {
  return {
    type: 'refused',
    error: `File modified since last read\nRead ${path} again, then repeat the edit.`,
  };
}

/** In the new text. Removed lines count as the two lines around them. */
function changedLines(patch: string): LineRange[] {
  const ranges: LineRange[] = [];
  let line = 0;
  for (const text of patch.split('\n')) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text)?.[1];
    if (start !== undefined) line = Number(start);
    else if (line === 0 || text.startsWith('\\')) continue;
    else if (text.startsWith('+')) add(ranges, { first: line, last: line++ });
    else if (text.startsWith('-')) add(ranges, { first: Math.max(1, line - 1), last: line });
    else line++;
  }
  return ranges;
}

function add(ranges: LineRange[], { first, last }: LineRange): void {
  const previous = ranges.at(-1);
  if (previous && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
  else ranges.push({ first, last });
}
