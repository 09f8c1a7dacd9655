import type { Display } from '../../../contract/display.ts';
import { type CodeState, type Highlighter, noHighlighter, startCode } from '../markdown/highlight.ts';
import { languageOfPath } from '../markdown/languages.ts';
import { fitTo } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { chop } from '../text/wrap.ts';
import type { Theme } from '../theme/theme.ts';
import { foldedText } from '../view/fold.ts';
import type { Line, Span, Style } from '../view/types.ts';
import { differences, type Range } from './emphasis.ts';
import { type Hunk, type PatchLine, readPatch } from './patch.ts';

type FileChange = { path: string; patch: string; added: number; removed: number };

export type DiffOptions = {
  width: number;
  theme: Theme;
  /** From `loadHighlighter`; without it code is not highlighted. */
  highlighter?: Highlighter;
  /** Maximum number of rows before folding; without it all are shown. */
  rows?: number;
  /** A path as it is shown. If absent, the path itself. */
  shownPath?: (path: string) => string;
  /** The file is named elsewhere, so that one needs no heading. */
  titled?: boolean;
};

/** A rendered diff: numbered lines, inner differences marked, code highlighted. */
export function diffLines(
  display: Extract<Display, { kind: 'diff' | 'diffs' }>,
  options: DiffOptions,
): Line[] {
  const files: FileChange[] = display.kind === 'diff' ? [display] : display.diffs;
  const titled = options.titled === true && files.length === 1;
  const lines = files.flatMap((file, i) => [
    ...(i > 0 ? [[]] : []),
    ...(titled ? [] : [headLine(file, options)]),
    ...fileLines(file, options),
  ]);
  return folded(lines, options);
}

function fileLines(file: FileChange, options: DiffOptions): Line[] {
  const hunks = readPatch(file.patch);
  const last = Math.max(0, ...hunks.flat().map(({ number }) => number));
  const digits = String(last).length;
  const language = languageOfPath(file.path);
  return hunks.flatMap((hunk, i) => [
    ...(i > 0 ? [[{ text: `${' '.repeat(digits)} ⋮`, style: options.theme.styles.muted }]] : []),
    ...hunkLines(hunk, { digits, language }, options),
  ]);
}

function headLine({ path, added, removed }: FileChange, options: DiffOptions): Line {
  const { width, theme, shownPath } = options;
  const { styles } = theme;
  const counts = ` +${added} −${removed}`;
  return [
    { text: fitTo(shownPath?.(path) ?? path, Math.max(1, width - counts.length)), style: styles.strong },
    { text: ` +${added}`, style: styles.added },
    { text: ` −${removed}`, style: styles.removed },
  ];
}

function hunkLines(
  hunk: Hunk,
  { digits, language }: { digits: number; language: string },
  options: DiffOptions,
): Line[] {
  const marks = marksOf(hunk);
  // The two versions are highlighted separately: a comment may be open in one only.
  let before = startCode(language);
  let after = startCode(language);
  return hunk.flatMap((line) => {
    const paint = (state: CodeState) => colored(line.text, state, options);
    const old = line.type === 'added' ? null : paint(before);
    const now = line.type === 'removed' ? null : paint(after);
    before = old?.state ?? before;
    after = now?.state ?? after;
    const spans = (now ?? old)?.spans ?? [];
    return numbered(line, emphasized(spans, line, { marks: marks.get(line) ?? [], theme: options.theme }), {
      digits,
      options,
    });
  });
}

/** Pairs of changed lines: a run of removed ones, followed by as many added ones. */
function marksOf(hunk: Hunk): Map<PatchLine, Range[]> {
  const marks = new Map<PatchLine, Range[]>();
  for (let i = 0; i < hunk.length; ) {
    const removed = runOf(hunk, i, 'removed');
    const added = runOf(hunk, i + removed.length, 'added');
    if (removed.length === added.length) {
      for (const [k, old] of removed.entries()) {
        const now = added[k];
        const differ = now && differences(plain(old), plain(now));
        if (!differ) continue;
        marks.set(old, differ.removed);
        marks.set(now, differ.added);
      }
    }
    i += Math.max(1, removed.length + added.length);
  }
  return marks;
}

function runOf(hunk: Hunk, from: number, type: PatchLine['type']): PatchLine[] {
  const end = hunk.findIndex((line, i) => i >= from && line.type !== type);
  return hunk.slice(from, end === -1 ? hunk.length : end);
}

function colored(
  text: string,
  state: CodeState,
  { theme, highlighter = noHighlighter }: DiffOptions,
): { spans: Span[]; state: CodeState } {
  const { tokens, state: next } = highlighter.line(state, sanitize(text));
  return {
    spans: tokens.map((token) =>
      token.role ? { text: token.text, style: theme.styles[token.role] } : { text: token.text },
    ),
    state: next,
  };
}

/** Code highlighting on the background of the change, stronger where the line differs. */
function emphasized(
  spans: Span[],
  { type }: PatchLine,
  { marks, theme }: { marks: readonly Range[]; theme: Theme },
): Span[] {
  if (type === 'same') return spans;
  const { addedText, addedMark, removedText, removedMark } = theme.styles;
  const [ground, mark] = type === 'added' ? [addedText, addedMark] : [removedText, removedMark];
  const out: Span[] = [];
  let offset = 0;
  for (const span of spans) {
    const end = offset + span.text.length;
    const cuts = marks.flatMap((range) => [range.start, range.end]).filter((at) => at > offset && at < end);
    let start = offset;
    for (const stop of [...cuts, end]) {
      const marked = marks.some((range) => range.start <= start && stop <= range.end);
      const style: Style = { ...span.style, ...ground, ...(marked && mark) };
      out.push({ text: span.text.slice(start - offset, stop - offset), style });
      start = stop;
    }
    offset = end;
  }
  return out;
}

function numbered(
  { type, number }: PatchLine,
  spans: Span[],
  { digits, options }: { digits: number; options: DiffOptions },
): Line[] {
  const { styles } = options.theme;
  const sign = type === 'added' ? '+' : type === 'removed' ? '-' : ' ';
  const signStyle = type === 'added' ? styles.added : type === 'removed' ? styles.removed : styles.muted;
  const room = Math.max(2, options.width - digits - 3);
  return chop(spans, room).map((row, i) => {
    const gutter = i === 0 ? String(number).padStart(digits) : ' '.repeat(digits);
    return [{ text: `${gutter} `, style: styles.muted }, { text: `${sign} `, style: signStyle }, ...row];
  });
}

/** Keeps the first rows and counts the others. */
function folded(lines: Line[], { rows, width, theme }: DiffOptions): Line[] {
  if (rows === undefined || lines.length <= rows) return lines;
  const kept = Math.max(1, rows - 1);
  const hidden = lines.length - kept;
  return [...lines.slice(0, kept), [{ text: fitTo(foldedText(hidden), width), style: theme.styles.border }]];
}

function plain({ text }: PatchLine): string {
  return sanitize(text);
}
