import { type Fold, type Folds, nextSign, unified, wantsFold } from './folds.ts';
import { isFoldSign, settled } from './graphemes.ts';

/** `at` is the caret: in UTF-16 units, always between two whole characters. */
export type Draft = { text: string; at: number };

/** The kind of the last change: consecutive changes of one kind are merged. */
type Last = 'typing' | 'kill' | 'yank' | 'other';

export type TextBuffer = Draft & {
  folds: Folds;
  past: readonly Draft[];
  future: readonly Draft[];
  /** The kill ring, newest last. */
  kills: readonly string[];
  last: Last;
  /** The last yank, and which kill it was, counted from the newest. */
  yanked: { from: number; to: number; back: number } | null;
};

const MOST_UNDO = 500;
const MOST_KILLS = 50;

/** An empty buffer that keeps the kill ring, except for folded pieces. */
export function cleared({ kills }: TextBuffer): TextBuffer {
  return { ...emptyBuffer, kills: kills.filter((piece) => !isFoldSign(piece)) };
}

/** Replaces the whole text, with the caret at its end. */
export function filled(buffer: TextBuffer, text: string): TextBuffer {
  const whole = unified(text);
  if (isFoldSign(whole))
    return folded(buffer, { type: 'paste', text: whole }, { from: 0, to: buffer.text.length });
  return changed(buffer, { text: whole, at: whole.length });
}

export const emptyBuffer: TextBuffer = {
  text: '',
  at: 0,
  folds: new Map(),
  past: [],
  future: [],
  kills: [],
  last: 'other',
  yanked: null,
};

type Change = { from: number; to: number; text: string };

/** Replaces a range; the caret is placed after it. */
export function replaced({ text }: Draft, { from, to, text: added }: Change): Draft {
  const whole = text.slice(0, from) + added + text.slice(to);
  return { text: whole, at: settled(whole, from + added.length) };
}

/** The buffer with another draft, and an undo step. */
export function changed(buffer: TextBuffer, draft: Draft, last: Last = 'other'): TextBuffer {
  const moved = { ...buffer, at: draft.at, last, yanked: null };
  if (draft.text === buffer.text) return moved;
  const { past, text, at } = buffer;
  const goesOn = last === 'typing' && buffer.last === 'typing';
  return {
    ...moved,
    text: draft.text,
    past: goesOn && past.length > 0 ? past : [...past.slice(1 - MOST_UNDO), { text, at }],
    future: [],
  };
}

export function movedTo(buffer: TextBuffer, at: number): TextBuffer {
  return { ...buffer, at: settled(buffer.text, at), last: 'other', yanked: null };
}

/** Inserts a typed character. A space starts a new undo step. */
export function typed(buffer: TextBuffer, text: string): TextBuffer {
  const { at } = buffer;
  if (isFoldSign(text)) return inserted(buffer, text);
  const begins = /^\s/.test(text) && !/\s/.test(buffer.text.slice(at - 1, at));
  const before = begins ? { ...buffer, last: 'other' as const } : buffer;
  return changed(before, replaced(buffer, { from: at, to: at, text: unified(text) }), 'typing');
}

/** Inserts a paste, verbatim except for its newlines; a large one becomes a placeholder. */
export function pasted(buffer: TextBuffer, raw: string): TextBuffer {
  const text = unified(raw);
  return wantsFold(text) ? folded(buffer, { type: 'paste', text }) : inserted(buffer, text);
}

export function inserted(buffer: TextBuffer, text: string): TextBuffer {
  const { at } = buffer;
  if (isFoldSign(text)) return folded(buffer, { type: 'paste', text });
  return changed(buffer, replaced(buffer, { from: at, to: at, text }));
}

/** Inserts a folded piece at the caret, or in place of a range. */
export function folded(buffer: TextBuffer, fold: Fold, place?: { from: number; to: number }): TextBuffer {
  const sign = nextSign(buffer.folds);
  if (sign === null) return buffer;
  const { from, to } = place ?? { from: buffer.at, to: buffer.at };
  const folds = new Map(buffer.folds).set(sign, fold);
  const { text, at } = replaced(buffer, { from, to, text: sign });
  const behind = buffer.at >= to ? buffer.at + sign.length - (to - from) : at;
  return changed({ ...buffer, folds }, { text, at: settled(text, behind) });
}

export function deleted(buffer: TextBuffer, from: number, to: number): TextBuffer {
  return changed(buffer, replaced(buffer, { from, to, text: '' }));
}

/** Cuts a range; consecutive cuts are yanked as one. */
export function killed(buffer: TextBuffer, from: number, to: number): TextBuffer {
  const piece = buffer.text.slice(from, to);
  if (piece === '') return { ...buffer, last: 'kill', yanked: null };
  const { kills, last, at } = buffer;
  const newest = last === 'kill' ? kills.at(-1) : undefined;
  const joined = newest === undefined ? piece : to <= at ? piece + newest : newest + piece;
  const older = newest === undefined ? kills.slice(1 - MOST_KILLS) : kills.slice(0, -1);
  const rest = changed(buffer, replaced(buffer, { from, to, text: '' }), 'kill');
  return { ...rest, kills: [...older, joined] };
}

/** Copies a range to the kill ring. */
export function copied(buffer: TextBuffer, from: number, to: number): TextBuffer {
  const piece = buffer.text.slice(from, to);
  return piece === ''
    ? buffer
    : { ...buffer, kills: [...buffer.kills.slice(1 - MOST_KILLS), piece], last: 'other' };
}

export function yanked(buffer: TextBuffer): TextBuffer {
  const piece = buffer.kills.at(-1);
  if (piece === undefined) return buffer;
  const { at: from } = buffer;
  const next = changed(buffer, replaced(buffer, { from, to: from, text: piece }), 'yank');
  return { ...next, yanked: { from, to: from + piece.length, back: 0 } };
}

/** Replaces the last yank by the kill before it. */
export function yankedBefore(buffer: TextBuffer): TextBuffer {
  const { yanked: place, kills } = buffer;
  if (!place || kills.length < 2) return buffer;
  const back = (place.back + 1) % kills.length;
  const piece = kills.at(-1 - back) ?? '';
  const { from, to } = place;
  const next = changed(buffer, replaced(buffer, { from, to, text: piece }), 'yank');
  return { ...next, yanked: { from, to: from + piece.length, back } };
}

export function undone(buffer: TextBuffer): TextBuffer {
  const { past, future, text, at } = buffer;
  const before = past.at(-1);
  if (!before) return buffer;
  return {
    ...buffer,
    ...before,
    past: past.slice(0, -1),
    future: [...future, { text, at }],
    last: 'other',
    yanked: null,
  };
}

export function redone(buffer: TextBuffer): TextBuffer {
  const { past, future, text, at } = buffer;
  const next = future.at(-1);
  if (!next) return buffer;
  return {
    ...buffer,
    ...next,
    past: [...past, { text, at }],
    future: future.slice(0, -1),
    last: 'other',
    yanked: null,
  };
}
