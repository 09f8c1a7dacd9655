import type { Action } from '../keyboard/keymap.ts';
import { after, before, graphemesOf, lineEnd, lineStart } from './graphemes.ts';
import {
  changed,
  deleted,
  inserted,
  killed,
  movedTo,
  redone,
  replaced,
  type TextBuffer,
  undone,
  yanked,
  yankedBefore,
} from './text-buffer.ts';
import { bigWordLeft, wordLeft, wordRight } from './words.ts';

type Edit = (buffer: TextBuffer) => TextBuffer;

const edits: Partial<Record<Action, Edit>> = {
  newline: (buffer) => inserted(buffer, '\n'),
  'char-left': (buffer) => movedTo(buffer, before(buffer.text, buffer.at)),
  'char-right': (buffer) => movedTo(buffer, after(buffer.text, buffer.at)),
  'word-left': (buffer) => movedTo(buffer, wordLeft(buffer.text, buffer.at)),
  'word-right': (buffer) => movedTo(buffer, wordRight(buffer.text, buffer.at)),
  'line-start': (buffer) => movedTo(buffer, lineStart(buffer.text, buffer.at)),
  'line-end': (buffer) => movedTo(buffer, lineEnd(buffer.text, buffer.at)),
  'text-start': (buffer) => movedTo(buffer, 0),
  'text-end': (buffer) => movedTo(buffer, buffer.text.length),
  'delete-left': (buffer) => deleted(buffer, before(buffer.text, buffer.at), buffer.at),
  'delete-right': (buffer) => deleted(buffer, buffer.at, after(buffer.text, buffer.at)),
  'kill-word-left': (buffer) => killed(buffer, wordLeft(buffer.text, buffer.at), buffer.at),
  'kill-big-word-left': (buffer) => killed(buffer, bigWordLeft(buffer.text, buffer.at), buffer.at),
  'kill-word-right': (buffer) => killed(buffer, buffer.at, wordRight(buffer.text, buffer.at)),
  'kill-line-left': (buffer) => killed(buffer, orNewlineBefore(buffer), buffer.at),
  'kill-line-right': (buffer) => killed(buffer, buffer.at, orNewlineAfter(buffer)),
  yank: yanked,
  'yank-pop': yankedBefore,
  transpose,
  'upper-word': (buffer) => recased(buffer, (word) => word.toUpperCase()),
  'lower-word': (buffer) => recased(buffer, (word) => word.toLowerCase()),
  'capital-word': (buffer) => recased(buffer, capitalized),
  undo: undone,
  redo: redone,
};

/** The text after an action; unchanged when the action does not edit. */
export function editedBy(buffer: TextBuffer, action: Action): TextBuffer {
  return edits[action]?.(buffer) ?? buffer;
}

/** At the start of a line its newline is deleted, so that the key can be held. */
function orNewlineBefore({ text, at }: TextBuffer): number {
  const start = lineStart(text, at);
  return start === at ? Math.max(0, at - 1) : start;
}

function orNewlineAfter({ text, at }: TextBuffer): number {
  const end = lineEnd(text, at);
  return end === at ? Math.min(text.length, at + 1) : end;
}

/** Swaps the characters around the caret; at the end of a line the last two. */
function transpose(buffer: TextBuffer): TextBuffer {
  const { text, at } = buffer;
  const middle = at === lineEnd(text, at) ? before(text, at) : at;
  if (middle <= lineStart(text, at)) return buffer;
  const [from, to] = [before(text, middle), after(text, middle)];
  const swapped = text.slice(middle, to) + text.slice(from, middle);
  return changed(buffer, replaced(buffer, { from, to, text: swapped }));
}

/** Changes case up to the end of the word at or after the caret. */
function recased(buffer: TextBuffer, recase: (word: string) => string): TextBuffer {
  const { text, at } = buffer;
  const to = wordRight(text, at);
  return changed(buffer, replaced(buffer, { from: at, to, text: recase(text.slice(at, to)) }));
}

function capitalized(word: string): string {
  const characters = graphemesOf(word);
  const first = characters.findIndex((one) => /\p{L}/u.test(one));
  return characters.map((one, at) => (at === first ? one.toUpperCase() : one.toLowerCase())).join('');
}
