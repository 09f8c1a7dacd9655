import type { TypedPrompt } from '../../../app/conversation/prompt-queue.ts';
import { type Action, isScreenAction, type Keymap, strokeOf } from '../keyboard/keymap.ts';
import type { Key, ScreenAction } from '../view/types.ts';
import { accepted, isComplete, type Offer, wantedAt } from './completion.ts';
import { editedBy } from './edit-actions.ts';
import { submittedOf, unfold } from './folds.ts';
import { lineEnd } from './graphemes.ts';
import { type HistorySearch, type Recall, recalled, searched, searchedOn } from './history.ts';
import { imagePathIn } from './image-path.ts';
import { verticalMove } from './layout.ts';
import {
  changed,
  cleared,
  emptyBuffer,
  filled,
  killed,
  movedTo,
  pasted,
  replaced,
  type TextBuffer,
  typed,
} from './text-buffer.ts';
import { leftInsert, normalKey, onCharacter } from './vim.ts';
import { isDot, nothingToRepeat, type Repeat, remembered } from './vim-repeat.ts';
import { isResting, type Vim, vimInsert } from './vim-state.ts';

/** Keys further apart are not a sequence. */
const SEQUENCE_MS = 600;

/** The prompt being edited. */
export type Editor = {
  buffer: TextBuffer;
  /** The column that vertical moves try to keep. */
  goal: number | null;
  recall: Recall | null;
  search: HistorySearch | null;
  /** The selected completion, and the text for which the list was closed. */
  chosen: number;
  closedFor: string | null;
  /** Null outside vim mode. */
  vim: Vim | null;
  repeat: Repeat;
  /** The last key, if another may complete a sequence. */
  stroke: { name: string; at: number } | null;
};

/** What the editor delegates to its owner. */
export type Effect =
  | { type: 'submit'; submitted: TypedPrompt }
  /** Enter in an empty prompt. */
  | { type: 'retry' }
  | { type: 'screen'; action: ScreenAction }
  | { type: 'edit-externally'; text: string }
  | { type: 'paste-image' }
  /** A dropped image: `text` is in the prompt until it is loaded. */
  | { type: 'attach'; path: string; text: string };

export type Surroundings = {
  keymap: Keymap;
  /** Columns for the text. */
  width: number;
  /** Earlier prompts, oldest first. */
  history: readonly string[];
  /** Completions for the current text. */
  offers: readonly Offer[];
  /** Number of queued prompts. */
  queued: number;
  now: number;
};

export type Step = { editor: Editor; effect?: Effect };

export function emptyEditor(mode: 'emacs' | 'vim'): Editor {
  return {
    buffer: emptyBuffer,
    goal: null,
    recall: null,
    search: null,
    chosen: 0,
    closedFor: null,
    vim: mode === 'vim' ? vimInsert : null,
    repeat: nothingToRepeat,
    stroke: null,
  };
}

/** Handles one key press. */
export function press(editor: Editor, key: Key, around: Surroundings): Step {
  if (!editor.vim) return pressed(editor, key, around);
  if (isDot(editor.vim, key) && editor.buffer.text !== '') return { editor: repeated(editor, around) };
  const step = pressed(editor, key, around);
  return { ...step, editor: { ...step.editor, repeat: remembered(editor, step.editor, key) } };
}

/** Repeats the last change at the caret. */
function repeated(editor: Editor, around: Surroundings): Editor {
  // No list is open, and these keys form no sequence with earlier ones.
  const alone = { ...around, offers: [] };
  const rested = (now: Editor): Editor => ({ ...now, stroke: null });
  return editor.repeat.change.reduce((now, key) => rested(pressed(now, key, alone).editor), rested(editor));
}

function pressed(editor: Editor, key: Key, around: Surroundings): Step {
  if (key.type === 'paste') return pastedInto(editor, key.text, around);
  if (key.type !== 'key') return { editor };
  const stroke = strokeOf(key);
  if (editor.search) return searching(editor, key, around);
  const before = editor.stroke;
  const isSoon = before !== null && around.now - before.at <= SEQUENCE_MS;
  const sequence = isSoon ? around.keymap.find('prompt', `${before.name} ${stroke}`) : null;
  const rested = { ...editor, stroke: null };
  if (sequence) return acted(rested, sequence, { key, around });
  if (isListOpen(editor, around)) {
    const action = around.keymap.find('list', stroke);
    if (action) return listed(rested, action, around);
  }
  const remembered = { ...editor, stroke: { name: stroke, at: around.now } };
  const action = around.keymap.find('prompt', stroke);
  if (editor.vim?.mode === 'normal') return inNormalMode(remembered, key, { action, around });
  if (action) return acted(remembered, action, { key, around });
  if (key.text === '') return { editor: remembered };
  return { editor: written(remembered, typed(editor.buffer, key.text)) };
}

/** Whether the completion list is visible. */
export function isListOpen(
  { buffer, closedFor, search }: Editor,
  { offers }: { offers: readonly Offer[] },
): boolean {
  return offers.length > 0 && search === null && closedFor !== buffer.text;
}

/** Replaces the text, for example after editing it externally. */
export function withText(editor: Editor, text: string): Editor {
  return written({ ...editor, search: null }, filled(editor.buffer, text));
}

type Pressed = { key: Key & { type: 'key' }; around: Surroundings };

function inNormalMode(
  editor: Editor,
  key: Key & { type: 'key' },
  { action, around }: { action: Action | null; around: Surroundings },
): Step {
  const { vim, buffer } = editor;
  const isIdle = vim !== null && isResting(vim);
  if (action && isIdle && around.keymap.countsInNormalMode(action)) {
    // Printable keys and Ctrl-R belong to vim while there is something to edit.
    const isVims = buffer.text !== '' && (key.text !== '' || action === 'search');
    if (!isVims) return acted(editor, action, { key, around });
  }
  const step = normalKey(buffer, vim ?? vimInsert, key);
  const next = { ...written(editor, step.buffer), vim: step.vim };
  if (!step.action) return { editor: next };
  const { editor: moved, ...rest } = acted({ ...next, goal: editor.goal }, step.action, { key, around });
  return { editor: { ...moved, buffer: onCharacter(moved.buffer) }, ...rest };
}

/** One action of the prompt. */
function acted(editor: Editor, action: Action, { key, around }: Pressed): Step {
  const { buffer } = editor;
  const isEmpty = buffer.text === '';
  switch (action) {
    case 'submit':
      return submitted(editor);
    case 'submit-after':
      return submitted(editor, { after: true });
    case 'up':
    case 'down':
      return vertical(editor, action === 'up' ? -1 : 1, around);
    case 'history-previous':
    case 'history-next':
      return through(editor, action === 'history-previous' ? -1 : 1, around);
    case 'search':
      return { editor: { ...editor, search: { query: '', index: -1 } } };
    case 'complete':
      return { editor: { ...editor, closedFor: null, chosen: 0 } };
    case 'edit-externally':
      return { editor, effect: { type: 'edit-externally', text: unfold(buffer.text, buffer.folds) } };
    case 'paste-image':
      return { editor, effect: { type: action } };
    case 'help-keys':
      if (isEmpty || key.text === '') return { editor, effect: { type: 'screen', action } };
      return { editor: written(editor, typed(buffer, key.text)) };
    case 'cancel':
      if (isEmpty) return { editor, effect: { type: 'screen', action } };
      return { editor: { ...written(editor, killed(buffer, 0, buffer.text.length)), recall: null } };
    case 'delete-right-or-quit':
      if (isEmpty) return { editor, effect: { type: 'screen', action: 'quit' } };
      return { editor: written(editor, editedBy(buffer, 'delete-right')) };
    case 'interrupt':
      if (editor.vim?.mode !== 'insert') return { editor, effect: { type: 'screen', action } };
      return { editor: { ...editor, ...leftInsert(buffer, editor.vim), stroke: null } };
    case 'rewind':
      return isEmpty ? { editor, effect: { type: 'screen', action } } : { editor };
    default:
      if (isScreenAction(action)) return { editor, effect: { type: 'screen', action } };
      return { editor: written(editor, editedBy(buffer, action)) };
  }
}

/** The editor after a change or move that resets the column. */
function written(editor: Editor, buffer: TextBuffer): Editor {
  const chosen = buffer.text === editor.buffer.text ? editor.chosen : 0;
  const closedFor = buffer.text === editor.buffer.text ? editor.closedFor : null;
  return { ...editor, buffer, goal: null, chosen, closedFor };
}

/** Enter. After a backslash it inserts a new line. */
function submitted(editor: Editor, when: Pick<TypedPrompt, 'after'> = {}): Step {
  const { buffer, vim } = editor;
  const { text, at, folds } = buffer;
  if (vim?.mode !== 'normal' && text[at - 1] === '\\') {
    return {
      editor: written(editor, changed(buffer, replaced(buffer, { from: at - 1, to: at, text: '\n' }))),
    };
  }
  // An empty prompt sends again what failed.
  if (text.trim() === '') return { editor, effect: { type: 'retry' } };
  const next = { ...written(editor, cleared(buffer)), recall: null, stroke: null };
  return {
    editor: { ...next, vim: vim && vimInsert },
    effect: { type: 'submit', submitted: { ...submittedOf(text, folds), ...when } },
  };
}

/** Up and down: by rows, then through queued and earlier prompts. */
function vertical(editor: Editor, by: -1 | 1, around: Surroundings): Step {
  const { buffer, goal } = editor;
  const place = verticalMove(buffer, by, { folds: buffer.folds, width: around.width, goal });
  if (place) return { editor: { ...editor, buffer: movedTo(buffer, place.at), goal: place.goal } };
  const wantsQueued = by === -1 && around.queued > 0 && editor.recall === null && buffer.text === '';
  if (wantsQueued) return { editor, effect: { type: 'screen', action: 'recall-queued' } };
  return through(editor, by, around);
}

function through(editor: Editor, by: -1 | 1, { history }: Surroundings): Step {
  const { buffer, recall } = editor;
  const found = recalled({ history, typed: unfold(buffer.text, buffer.folds), recall }, by);
  if (!found) return { editor };
  const next = filled(buffer, found.text);
  // Going up, the caret stays on the first row, so that the next step continues.
  const at = by === -1 ? lineEnd(next.text, 0) : next.text.length;
  return { editor: { ...written(editor, movedTo(next, at)), recall: found.recall, closedFor: next.text } };
}

function pastedInto(editor: Editor, text: string, { history }: Surroundings): Step {
  if (editor.search) {
    const query = editor.search.query + text.replaceAll(/\s+/g, ' ');
    return { editor: { ...editor, search: searched(history, query) } };
  }
  const vim = editor.vim && vimInsert;
  const next = { ...written(editor, pasted(editor.buffer, text)), vim, stroke: null };
  const path = imagePathIn(text);
  return path === null ? { editor: next } : { editor: next, effect: { type: 'attach', path, text } };
}

/** A key while the completion list is open. */
function listed(editor: Editor, action: Action, around: Surroundings): Step {
  const { buffer, chosen } = editor;
  const { offers } = around;
  const count = offers.length;
  if (action === 'list-up') return { editor: { ...editor, chosen: (chosen + count - 1) % count } };
  if (action === 'list-down') return { editor: { ...editor, chosen: (chosen + 1) % count } };
  if (action === 'list-close') return { editor: { ...editor, closedFor: buffer.text } };
  const wanted = wantedAt(buffer);
  const offer = offers[Math.min(chosen, count - 1)];
  if (!wanted || !offer) return { editor };
  const taken = written(editor, changed(buffer, accepted(buffer, wanted, offer)));
  if (action !== 'list-accept-and-submit') return { editor: taken };
  if (offer.type === 'command') {
    const rest = taken.buffer.text.trimEnd();
    return submitted({ ...taken, buffer: { ...taken.buffer, text: rest, at: rest.length } });
  }
  return isComplete(buffer, wanted, offer) ? submitted(editor) : { editor: taken };
}

/**
 * A key during a history search. A key that does not belong to the search accepts the match and is then
 * processed.
 */
function searching(editor: Editor, key: Key & { type: 'key' }, around: Surroundings): Step {
  const { search } = editor;
  if (!search) return { editor };
  const { history, keymap } = around;
  const stay = (next: HistorySearch): Step => ({ editor: { ...editor, search: next } });
  switch (keymap.find('search', strokeOf(key))) {
    case 'search-older':
      return stay(searchedOn(history, search, -1));
    case 'search-newer':
      return stay(searchedOn(history, search, 1));
    case 'search-shorten':
      return stay(searched(history, [...search.query].slice(0, -1).join('')));
    case 'search-cancel':
      return { editor: { ...editor, search: null, stroke: null } };
    case 'search-accept':
      return { editor: found(editor, history) };
    default:
      if (key.text !== '') return stay(searched(history, search.query + key.text));
      return pressed(found(editor, history), key, around);
  }
}

function found(editor: Editor, history: readonly string[]): Editor {
  const text = history[editor.search?.index ?? -1];
  const closed = { ...editor, search: null, stroke: null };
  return text === undefined ? closed : { ...withText(closed, text), closedFor: text };
}
