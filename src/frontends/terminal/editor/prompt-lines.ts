import { ruleOf } from '../early/start-rows.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line, Span, Style } from '../view/types.ts';
import { isListOpen } from './editor.ts';
import type { Folds } from './folds.ts';
import { type Cell, placeOf, rowsOf, windowOf } from './layout.ts';
import type { PromptState } from './prompt-model.ts';
import type { Piece } from './vim-operators.ts';
import { selectionOf } from './vim-visual.ts';

export const SIGN = '> ';
const MOST_LISTED = 8;
export const PLACEHOLDER = 'Ask for anything · / commands · @ files · ! shell · ? keys';

/** `rows` is the maximum for the text itself; `top` is the first row shown last time. */
export type PromptFrame = {
  columns: number;
  rows: number;
  top: number;
  theme: Theme;
  history: readonly string[];
  /** With a line above the text. */
  framed?: boolean;
};

/** Columns for text, between the prompt sign and the caret. */
export function textWidth(columns: number): number {
  return Math.max(1, columns - SIGN.length - 1);
}

/** The prompt as screen rows, with the caret marked in one of them, and the first visible row of the text. */
export function promptLines(state: PromptState, frame: PromptFrame): { lines: Line[]; top: number } {
  const { editor } = state;
  const { search } = editor;
  const found = search && search.index >= 0 ? (frame.history[search.index] ?? '') : null;
  const text = found ?? editor.buffer.text;
  const at = found === null ? editor.buffer.at : 0;
  const drawn = {
    text,
    at,
    folds: found === null ? editor.buffer.folds : new Map(),
    caret: search === null,
    selected: found === null && editor.vim ? selectionOf(editor.buffer, editor.vim) : null,
  };
  const { lines, top } = textLines(drawn, frame);
  const rule: Line[] = frame.framed
    ? [[{ text: ruleOf(frame.columns), style: frame.theme.styles.border }]]
    : [];
  // Nothing is below the text by default: terminals that reflow rows lose count of those below the cursor.
  return { lines: [...rule, ...lines, ...belowLines(state, frame)], top };
}

type Drawn = { text: string; at: number; folds: Folds; caret: boolean; selected: Piece | null };

function textLines(drawn: Drawn, frame: PromptFrame): { lines: Line[]; top: number } {
  const { text, at, folds, caret, selected } = drawn;
  const { columns, theme } = frame;
  const { styles } = theme;
  const isShell = text.trimStart().startsWith('!');
  const sign: Span = { text: SIGN, style: isShell ? styles.warning : styles.accent };
  if (text === '' && caret) return { lines: [[sign, ...emptySpans(columns, styles.muted)]], top: 0 };
  const rows = rowsOf(text, folds, textWidth(columns));
  const { row: caretRow } = placeOf(rows, at);
  const most = Math.max(1, frame.rows);
  const top = windowOf(rows.length, caretRow, { most, top: frame.top });
  const lines = rows.slice(top, top + most).map(({ cells, to }, i): Line => {
    const row = top + i;
    const begins =
      row === 0 ? sign : { text: more(row, { top, most, count: rows.length }), style: styles.muted };
    const place = caret && row === caretRow ? at : null;
    return [begins, ...cellSpans(cells, { caret: place, end: to, selected, styles })];
  });
  return { lines, top };
}

/** An indicator at the edge for hidden rows. */
function more(row: number, { top, most, count }: { top: number; most: number; count: number }): string {
  if (row === top && top > 0) return '↑ ';
  return row === top + most - 1 && row < count - 1 ? '↓ ' : '  ';
}

function emptySpans(columns: number, style: Style): Span[] {
  const text = fitTo(PLACEHOLDER, textWidth(columns));
  const first = text.slice(0, 1);
  return [
    { text: first, style, caret: true },
    { text: text.slice(1), style },
  ];
}

type CellLook = { caret: number | null; end: number; selected: Piece | null; styles: Theme['styles'] };

function cellSpans(cells: readonly Cell[], { caret, end, selected, styles }: CellLook): Span[] {
  const isSelected = ({ at }: Cell) => selected !== null && at >= selected.from && at < selected.to;
  const styleOf = (cell: Cell): Style => ({
    ...(cell.kind === 'fold' ? styles.link : styles.text),
    ...(isSelected(cell) && styles.selected),
  });
  const spans: Span[] = [];
  let run = '';
  const flush = () => {
    if (run !== '') spans.push({ text: run, style: styles.text });
    run = '';
  };
  for (const cell of cells) {
    if (cell.at !== caret && cell.kind === 'text' && !isSelected(cell)) {
      run += cell.text;
      continue;
    }
    flush();
    spans.push({ text: cell.text, style: styleOf(cell), ...(cell.at === caret && { caret: true }) });
  }
  flush();
  if (caret === end && cells.every(({ at }) => at < end)) spans.push({ text: ' ', caret: true });
  return spans;
}

/** Below the text: a search, a completion list, or a hint what Enter will do. */
function belowLines(state: PromptState, frame: PromptFrame): Line[] {
  const { editor, listing } = state;
  const { columns, theme } = frame;
  const { muted, warning } = theme.styles;
  if (editor.search) {
    const { query, index } = editor.search;
    const fails = query !== '' && index < 0;
    const label = fails ? 'No match in history: ' : 'Search history: ';
    return [
      [
        { text: label, style: fails ? warning : muted },
        { text: fitTo(query, Math.max(1, columns - label.length - 1)) },
        { text: ' ', caret: true },
      ],
    ];
  }
  if (isListOpen(editor, state)) return listLines(state, frame);
  const say = (text: string): Line[] => [[{ text: fitTo(text, columns), style: muted }]];
  if (listing) return say('  Searching files…');
  if (editor.vim?.visual) return say('  visual mode · d cut · c change · y copy · Esc exit');
  if (editor.vim?.mode === 'normal') return say('  normal mode · i insert');
  if (/^\s*!/.test(editor.buffer.text)) return say('  Runs in your shell; the model sees the output.');
  return [];
}

function listLines({ offers, editor }: PromptState, { columns, rows, theme }: PromptFrame): Line[] {
  const most = Math.max(2, Math.min(MOST_LISTED, rows));
  const chosen = Math.min(editor.chosen, offers.length - 1);
  const top = windowOf(offers.length, chosen, { most, top: Math.max(0, chosen - Math.floor(most / 2)) });
  const shown = offers.slice(top, top + most);
  const widest = Math.max(...shown.map(({ label }) => widthOf(label)));
  const labels = Math.min(widest, Math.max(1, columns - 3));
  return shown.map((offer, i): Line => {
    const isChosen = top + i === chosen;
    const ground = isChosen ? theme.styles.selected : {};
    const label = fitTo(offer.label, labels);
    const sign = offer.type === 'command' ? '/' : '@';
    const gap = ' '.repeat(Math.max(0, labels - widthOf(label)) + 2);
    const room = columns - 3 - labels - 2;
    const detail = offer.detail === '' || room < 8 ? '' : fitTo(offer.detail, room);
    return [
      { text: isChosen ? '› ' : '  ', style: theme.styles.accent },
      { text: sign, style: { ...theme.styles.muted, ...ground } },
      ...markedSpans(label, {
        marks: offer.marks,
        plain: ground,
        hit: { ...theme.styles.accent, ...ground, bold: true },
      }),
      ...(detail === '' ? [] : [{ text: `${gap}${detail}`, style: { ...theme.styles.muted, ...ground } }]),
    ];
  });
}

function markedSpans(label: string, look: { marks: readonly number[]; plain: Style; hit: Style }): Span[] {
  const hits = new Set(look.marks);
  const spans: Span[] = [];
  for (let at = 0; at < label.length; at++) {
    const style = hits.has(at) ? look.hit : look.plain;
    const last = spans.at(-1);
    if (last && last.style === style) spans[spans.length - 1] = { text: last.text + label[at], style };
    else spans.push({ text: label[at] ?? '', style });
  }
  return spans;
}
