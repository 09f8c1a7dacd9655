import path from 'node:path';
import { startOf } from '../../lib/text/cut-line.ts';
import { alone, quoted, type WantedNames } from './query.ts';
import { definer } from './symbol-rules.ts';

/** A line that a search found. */
export type Place = {
  file: string;
  line: number;
  text: string;
  why: string;
  isDefinition: boolean;
  /** Sort keys, compared in order; lower is better. */
  order: number[];
};

const MAX_TEXT = 160;
/** Characters shown before a match that is far into a line. */
const LEAD = 40;
const prose = /\.(?:md|mdx|markdown|txt|rst|adoc|html?|log|csv)$|(?:^|\/)(?:license|changelog)[^/]*$/i;
const tests =
  /(?:^|\/)(?:tests?|__tests__|spec|fixtures?|__mocks__|testdata)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+$/i;
const importing =
  /^\s*(?:import\b|from\s+\S+\s+import\b|export\b.*\bfrom\b|use\s|using\s|#\s*include|require)|\brequire\(/;

type Hit = { file: string; line: number; text: string };

/**
 * The places in grep's lines (with a NUL after the path), deduplicated, most likely first. The last of
 * several searches is the widest; each lists its most recently changed files first.
 */
export function rankPlaces(searches: readonly (readonly string[])[], names: WantedNames): Place[] {
  const judge = judgeOf(names);
  const wanted = new RegExp(names.anywhere, 'iu');
  const hits = new Map<string, Hit>();
  const ages = new Map<string, number>();
  for (const lines of searches) {
    const seen = new Set<string>();
    for (const found of lines) {
      const hit = toHit(found);
      if (!hit) continue;
      if (!seen.has(hit.file)) ages.set(hit.file, seen.size);
      seen.add(hit.file);
      hits.set(`${hit.file}:${hit.line}`, hit);
    }
  }
  const places = [...hits.values()].map(({ file, line, text }): Place => {
    const { order, ...rest } = judge(file, text);
    return {
      file,
      line,
      text: shortened(text, wanted),
      ...rest,
      order: [...order, ages.get(file) ?? 0, line],
    };
  });
  return places.sort((a, b) => compare(a.order, b.order));
}

function toHit(found: string): Hit | null {
  const [, file, line, text] = /^([^\0]+)\0(\d+):(.*)$/s.exec(found) ?? [];
  return file === undefined || text === undefined ? null : { file, line: Number(line), text };
}

type Verdict = Pick<Place, 'why' | 'isDefinition' | 'order'>;
type Kind = { level: number; why: string; isDefinition?: boolean };

function judgeOf(names: WantedNames): (file: string, text: string) => Verdict {
  const joined = new RegExp(names.joined, 'iu');
  const words = names.words.map((word) => new RegExp(alone(quoted(word)), 'iu'));
  const kindOf = names.words.length === 1 ? oneName(names) : severalWords(names);

  return (file, text) => {
    const isProse = prose.test(file);
    const count = words.filter((word) => word.test(text)).length;
    const { level, why, isDefinition = false } = kindOf(text, { isProse, count });
    const aside = isProse ? 2 : tests.test(file) ? 1 : 0;
    const nested = isDefinition && /^\s/.test(text) ? 1 : 0;
    const name = path.posix.basename(file);
    const far = joined.test(name) ? 0 : joined.test(file) ? 1 : 2;
    return { why, isDefinition, order: [level, -count, aside, nested, far] };
  };
}

type KindOf = (text: string, line: { isProse: boolean; count: number }) => Kind;

function oneName({ words: [word = ''], patterns }: WantedNames): KindOf {
  const any = patterns.join('|');
  const defines = definer(quoted(word), 'u');
  const definesVariant = definer(any, 'iu');
  const exact = new RegExp(alone(quoted(word)), 'u');
  const variant = new RegExp(alone(any), 'iu');
  return (text, { isProse }) => {
    const what = isProse ? null : defines(text);
    if (what !== null) return { level: 0, why: `definition: ${what}`, isDefinition: true };
    const similar = isProse ? null : definesVariant(text);
    if (similar !== null)
      return { level: 1, why: `definition, other spelling: ${similar}`, isDefinition: true };
    if (!variant.test(text)) return { level: 7, why: 'part of a name' };
    if (importing.test(text)) return { level: 4, why: 'import' };
    return exact.test(text) ? { level: 2, why: 'word' } : { level: 3, why: 'word, other spelling' };
  };
}

function severalWords({ words, joined, patterns }: WantedNames): KindOf {
  const definesAll = definer(joined, 'iu');
  const definesOne = definer(patterns.join('|'), 'iu');
  const together = new RegExp(joined, 'iu');
  return (text, { isProse, count }) => {
    const what = isProse ? null : definesAll(text);
    if (what !== null) return { level: 0, why: `definition: ${what}`, isDefinition: true };
    if (together.test(text)) return { level: 2, why: 'all words together' };
    if (count === words.length) return { level: 4, why: 'all words' };
    const one = isProse ? null : definesOne(text);
    if (one !== null) return { level: 5, why: `definition of one word: ${one}`, isDefinition: true };
    if (count === 0) return { level: 7, why: 'part of a name' };
    return { level: 6, why: `${count} of ${words.length} words` };
  };
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The start of a line, or the part around the match if that is further in. */
function shortened(text: string, wanted: RegExp): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= MAX_TEXT) return line;
  const match = wanted.exec(line);
  const isLate = match !== null && match.index + match[0].length > MAX_TEXT;
  const from = isLate ? match.index - Math.min(LEAD, match.index) : 0;
  const rest = line.slice(from);
  return `${from > 0 ? '…' : ''}${startOf(rest, MAX_TEXT)}${rest.length > MAX_TEXT ? '…' : ''}`;
}
