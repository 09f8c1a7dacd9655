import { after, lineEnd, lineStart, settledBack } from './graphemes.ts';
import { changed, movedTo, replaced, type TextBuffer } from './text-buffer.ts';
import { operated, operatedLines, type Piece, swapped } from './vim-operators.ts';
import { type Vim, type VimStep, vimInsert } from './vim-state.ts';

/** The selection from the start of visual mode to the caret, both included. */
export function selectionOf({ text, at }: TextBuffer, { visual }: Vim): Piece | null {
  if (!visual) return null;
  const [low, high] = [Math.min(visual.from, at), Math.max(visual.from, at)];
  if (visual.lines) return { from: lineStart(text, low), to: lineEnd(text, high) };
  return { from: low, to: Math.min(text.length, after(text, high)) };
}

const KEYS = ['v', 'V', 'o', 'd', 'x', 'c', 's', 'y', 'r', '~', 'u', 'U', 'J', 'p', 'D', 'X', 'C', 'S', 'Y'];

/** Keys with a special meaning in visual mode; others are motions. */
export function isVisualKey(name: string): boolean {
  return KEYS.includes(name);
}

export function visualKey(buffer: TextBuffer, vim: Vim, name: string): VimStep {
  const { visual } = vim;
  const piece = selectionOf(buffer, vim);
  if (!visual || !piece) return { buffer, vim };
  const over: Vim = { ...vim, visual: null };
  const text = buffer.text.slice(piece.from, piece.to);
  switch (name) {
    case 'v':
    case 'V': {
      const lines = name === 'V';
      return { buffer, vim: lines === visual.lines ? over : { ...vim, visual: { ...visual, lines } } };
    }
    case 'o':
      return {
        buffer: movedTo(buffer, visual.from),
        vim: { ...vim, visual: { ...visual, from: buffer.at } },
      };
    case 'r':
      return { buffer, vim: { ...vim, waiting: 'r' } };
    case '~':
      return { buffer: rewritten(buffer, piece, swapped(text)), vim: over };
    case 'u':
      return { buffer: rewritten(buffer, piece, text.toLowerCase()), vim: over };
    case 'U':
      return { buffer: rewritten(buffer, piece, text.toUpperCase()), vim: over };
    case 'J':
      return { buffer: joined(buffer, piece), vim: over };
    case 'p':
      return { buffer: exchanged(buffer, piece, visual.lines), vim: over };
    default: {
      // An upper-case operator applies to whole lines, however they were selected.
      const operator = OPERATORS[name.toLowerCase()] ?? 'y';
      const isLines = visual.lines || name !== name.toLowerCase();
      const act = isLines ? operatedLines : operated;
      return act(buffer, { ...over, operator }, isLines ? linesOf(buffer.text, piece) : piece);
    }
  }
}

const OPERATORS: Readonly<Record<string, NonNullable<Vim['operator']>>> = {
  d: 'd',
  x: 'd',
  c: 'c',
  s: 'c',
  y: 'y',
};

/** Replaces every character of the selection by this one; newlines stay. */
export function overwritten(buffer: TextBuffer, vim: Vim, character: string): VimStep {
  const piece = selectionOf(buffer, vim);
  const over: Vim = { ...vimInsert, mode: 'normal', find: vim.find };
  if (!piece) return { buffer, vim: over };
  let text = '';
  for (let at = piece.from; at < piece.to; at = after(buffer.text, at))
    text += buffer.text[at] === '\n' ? '\n' : character;
  return { buffer: rewritten(buffer, piece, text), vim: over };
}

/** Selects a text object instead. */
export function selected(buffer: TextBuffer, vim: Vim, { from, to }: Piece): VimStep {
  const visual = { from, lines: vim.visual?.lines ?? false };
  const last = lastOf(buffer.text, { from, to });
  return { buffer: movedTo(buffer, last), vim: { ...vimInsert, mode: 'normal', find: vim.find, visual } };
}

/** Where the last character of a range starts. */
function lastOf(text: string, { from, to }: Piece): number {
  let at = from;
  while (after(text, at) < to) at = after(text, at);
  return at;
}

function linesOf(text: string, { from, to }: Piece): Piece {
  return { from: lineStart(text, from), to: lineEnd(text, Math.max(from, to - 1)) };
}

function rewritten(buffer: TextBuffer, { from, to }: Piece, text: string): TextBuffer {
  const draft = replaced(buffer, { from, to, text });
  return changed(buffer, { ...draft, at: settledBack(draft.text, from) });
}

/** Joins the lines of the selection; a single line is joined with the next one. */
function joined(buffer: TextBuffer, piece: Piece): TextBuffer {
  const { from, to } = linesOf(buffer.text, piece);
  const end = buffer.text.slice(from, to).includes('\n') ? to : lineEnd(buffer.text, to + 1);
  return rewritten(buffer, { from, to: end }, buffer.text.slice(from, end).replaceAll('\n', ' '));
}

/** Swaps the selection with the last cut. */
function exchanged(buffer: TextBuffer, piece: Piece, lines: boolean): TextBuffer {
  const put = buffer.kills.at(-1);
  if (put === undefined) return buffer;
  const taken = buffer.text.slice(piece.from, piece.to);
  const next = rewritten(buffer, piece, put.replace(/\n$/, ''));
  return { ...next, kills: [...next.kills, lines ? `${taken}\n` : taken] };
}
