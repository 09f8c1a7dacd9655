import { takeColumns, widthOf } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { chop, widthOfLine, wrap } from '../text/wrap.ts';
import type { Line, Span } from '../view/types.ts';
import type { Container, Piece } from './blocks.ts';
import { type CodeState, type Highlighter, startCode } from './highlight.ts';
import { type InlineOptions, inlineSpans } from './inline.ts';
import { headLines, layOut, rowLines, type TableLayout } from './table.ts';

export type DrawOptions = InlineOptions & { width: number; highlighter: Highlighter };

/** State passed from one piece to the next of the same block. Immutable. */
export type DrawState = { code: CodeState | null; table: TableLayout | null };

export type Place = { containers: readonly Container[]; gap: boolean; shared: number };

const CODE_INDENT = '  ';
const LONGEST_RULE = 60;

export function drawPiece(
  piece: Piece,
  place: Place,
  { state, options }: { state: DrawState; options: DrawOptions },
): { lines: Line[]; state: DrawState } {
  const half = Math.floor(options.width / 2);
  const first = prefixOf(place.containers, options, { begins: true, most: half });
  const rest = prefixOf(place.containers, options, { begins: false, most: half });
  const width = Math.max(2, options.width - widthOfLine(rest));
  const drawn = drawBody(piece, { state, options: { ...options, width } });
  const lines = drawn.lines.map((line, i) => {
    const prefix = i === 0 ? first : rest;
    return line.length === 0 ? trimmed(prefix) : [...prefix, ...line];
  });
  if (!place.gap) return { lines, state: drawn.state };
  const gap = prefixOf(place.containers.slice(0, place.shared), options, { begins: false, most: half });
  return { lines: [trimmed(gap), ...lines], state: drawn.state };
}

function drawBody(
  piece: Piece,
  { state, options }: { state: DrawState; options: DrawOptions },
): { lines: Line[]; state: DrawState } {
  const { width, theme } = options;
  const { styles } = theme;
  switch (piece.type) {
    case 'paragraph':
      return { lines: wrap(inlineSpans(piece.text, options), width), state };
    case 'heading': {
      const style = piece.level === 1 ? styles.title : piece.level < 4 ? styles.heading : styles.strong;
      return { lines: wrap(inlineSpans(piece.text, options, style), width), state };
    }
    case 'code': {
      const before = piece.first || !state.code ? startCode(piece.language) : state.code;
      const { tokens, state: code } = options.highlighter.line(before, sanitize(piece.text));
      const spans = tokens.map(({ text, role }): Span => (role ? { text, style: styles[role] } : { text }));
      const lines = chop(spans, width - CODE_INDENT.length);
      return { lines: lines.map((line) => indented(line)), state: { ...state, code } };
    }
    case 'html':
      return { lines: chop([{ text: sanitize(piece.text), style: styles.muted }], width), state };
    case 'rule':
      return { lines: [[{ text: '─'.repeat(Math.min(width, LONGEST_RULE)), style: styles.border }]], state };
    case 'table': {
      const table = layOut(piece, width, options);
      const lines = [
        ...headLines(table, options),
        ...rowLines(piece.rows, table, { ...options, first: true }, width),
      ];
      return { lines, state: { ...state, table } };
    }
    case 'rows':
      if (!state.table) return { lines: [], state };
      return { lines: rowLines(piece.rows, state.table, { ...options, first: false }, width), state };
    case 'nothing':
      return { lines: [[]], state };
    default:
      return piece satisfies never;
  }
}

/** The container prefixes of a line, at most `most` columns: the text needs space, too. */
function prefixOf(
  containers: readonly Container[],
  { theme }: DrawOptions,
  { begins, most }: { begins: boolean; most: number },
): Line {
  const { styles } = theme;
  const spans = containers.map((container): Span => {
    if (container.type === 'quote') return { text: '│ ', style: styles.border };
    const mark = container.task === null ? container.marker : container.task === 'done' ? '[x]' : '[ ]';
    if (!begins || container.shown) return { text: ' '.repeat(widthOf(mark) + 1) };
    return { text: `${mark} `, style: container.task === 'done' ? styles.success : styles.bullet };
  });
  while (spans.length > 1 && widthOfLine(spans) > most) spans.shift();
  return spans.map((span) => ({ ...span, text: takeColumns(span.text, Math.max(1, most)) }));
}

function indented(line: Line): Line {
  return line.length === 0 ? line : [{ text: CODE_INDENT }, ...line];
}

function trimmed(line: Line): Line {
  const end = line.findLastIndex(({ text }) => text.trim() !== '');
  return line.slice(0, end + 1).map((span, i) => (i === end ? { ...span, text: span.text.trimEnd() } : span));
}
