import { after, before, lineEnd, lineStart } from './graphemes.ts';
import { changed, copied, deleted, killed, movedTo, replaced, type TextBuffer } from './text-buffer.ts';
import { firstInk } from './vim-motions.ts';
import { type Vim, type VimStep, vimInsert } from './vim-state.ts';

export type Piece = { from: number; to: number };

export function operated(buffer: TextBuffer, vim: Vim, { from, to }: Piece): VimStep {
  const idle: Vim = { ...vimInsert, mode: 'normal', find: vim.find };
  if (vim.operator === 'y') return { buffer: movedTo(copied(buffer, from, to), from), vim: idle };
  const rest = killed({ ...buffer, last: 'other' }, from, to);
  return { buffer: rest, vim: vim.operator === 'c' ? vimInsert : idle };
}

/** Whole lines are stored with a trailing newline, which determines how they are put back. */
export function operatedLines(buffer: TextBuffer, vim: Vim, { from, to }: Piece): VimStep {
  const idle: Vim = { ...vimInsert, mode: 'normal', find: vim.find };
  const { text } = buffer;
  const kept = { ...buffer, kills: [...buffer.kills, `${text.slice(from, to)}\n`], last: 'other' as const };
  if (vim.operator === 'y') return { buffer: movedTo(kept, from), vim: idle };
  if (vim.operator === 'c') return { buffer: deleted(kept, from, to), vim: vimInsert };
  const isLast = to >= text.length;
  const rest = deleted(kept, isLast && from > 0 ? from - 1 : from, isLast ? to : to + 1);
  return { buffer: movedTo(rest, firstInk(rest.text, rest.at)), vim: idle };
}

/** Puts the last cut next to the caret, or as separate lines. */
export function put(buffer: TextBuffer, where: 'p' | 'P'): TextBuffer {
  const piece = buffer.kills.at(-1);
  if (piece === undefined) return buffer;
  const { text, at } = buffer;
  const end = lineEnd(text, at);
  if (!piece.endsWith('\n')) {
    const from = where === 'P' ? at : Math.min(end, after(text, at));
    const next = changed(buffer, replaced(buffer, { from, to: from, text: piece }));
    return movedTo(next, before(next.text, next.at));
  }
  if (where === 'P') {
    const start = lineStart(text, at);
    return movedTo(changed(buffer, replaced(buffer, { from: start, to: start, text: piece })), start);
  }
  const lines = `\n${piece.slice(0, -1)}`;
  return movedTo(changed(buffer, replaced(buffer, { from: end, to: end, text: lines })), end + 1);
}

export function swapped(text: string): string {
  return Array.from(text, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join(
    '',
  );
}
