import type { ChangedFile, ChosenChange } from '../../../contract/review.ts';
import type { Key } from '../view/types.ts';
import type { Outcome } from './model.ts';
import { type Extent, scrolled } from './scroll.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** A row of the list of files, or a hunk of a file. */
export type ChangesPlace = { path: string; hunk: number | null };

export type ChangesState = {
  file: number;
  /** Null in the list of files. */
  hunk: number | null;
  /** The first visible row of a hunk. */
  top: number;
  /** A comment that is being typed. */
  comment: TextLine | null;
};

/** What the user wants; null when the dialog was closed. */
export type ChangesStep =
  | { type: 'revert'; chosen: ChosenChange; place: ChangesPlace }
  | { type: 'comment'; file: number; hunk: number; text: string }
  | { type: 'scope'; to: 'other' | 'prompt' }
  | null;

type Step = Outcome<ChangesState, ChangesStep>;

/** At the same file and hunk as before, or at the next ones if they are gone. */
export function openChanges(files: readonly ChangedFile[], { path, hunk }: ChangesPlace): ChangesState {
  const same = files.findIndex((file) => file.path === path);
  const after = files.findIndex((file) => file.path > path);
  const file = same >= 0 ? same : Math.max(0, after < 0 ? files.length - 1 : after);
  const hunks = same >= 0 ? (files[same]?.hunks.length ?? 0) : 0;
  const at = hunk === null || hunks === 0 ? null : Math.min(hunk, hunks - 1);
  return { file, hunk: at, top: 0, comment: null };
}

/** Handles one key; `extent` is that of the hunk on the screen. */
export function pressChanges(
  state: ChangesState,
  key: Key,
  { files, extent }: { files: readonly ChangedFile[]; extent: Extent },
): Step {
  if (state.comment) return pressComment(state, state.comment, key);
  if (key.type !== 'key') return stay(state);
  if (key.name === 'q' || (key.ctrl && key.name === 'c')) return { type: 'end', result: null };
  return state.hunk === null
    ? pressList(state, key.name, files)
    : pressHunk({ ...state, hunk: state.hunk }, key, { files, extent });
}

function stay(state: ChangesState): Step {
  return { type: 'state', state };
}

function pressComment(state: ChangesState, line: TextLine, key: Key): Step {
  if (key.type === 'key' && (key.name === 'escape' || (key.ctrl && key.name === 'c')))
    return stay({ ...state, comment: null });
  if (key.type === 'key' && key.name === 'return') {
    const text = line.text.trim();
    if (text === '' || state.hunk === null) return stay({ ...state, comment: null });
    return { type: 'end', result: { type: 'comment', file: state.file, hunk: state.hunk, text } };
  }
  const comment = edited(line, key);
  return comment ? stay({ ...state, comment }) : stay(state);
}

function pressList(state: ChangesState, key: string, files: readonly ChangedFile[]): Step {
  const { length } = files;
  const chosen = files[state.file];
  switch (key) {
    case 'escape':
      return { type: 'end', result: null };
    case 'up':
    case 'down':
      return stay({ ...state, file: (state.file + (key === 'up' ? length - 1 : 1)) % Math.max(1, length) });
    case 'return':
    case 'right':
      return chosen && chosen.hunks.length > 0 ? stay({ ...state, hunk: 0, top: 0 }) : stay(state);
    case 'r':
      return chosen && chosen.hunks.length > 0
        ? revert({ path: chosen.path }, { path: chosen.path, hunk: null })
        : stay(state);
    case 'tab':
      return { type: 'end', result: { type: 'scope', to: 'other' } };
    case 'p':
      return { type: 'end', result: { type: 'scope', to: 'prompt' } };
    default:
      return stay(state);
  }
}

function pressHunk(
  state: ChangesState & { hunk: number },
  key: Extract<Key, { type: 'key' }>,
  { files, extent }: { files: readonly ChangedFile[]; extent: Extent },
): Step {
  const path = files[state.file]?.path ?? '';
  switch (key.name) {
    case 'escape':
    case 'left':
      return stay({ ...state, hunk: null });
    case 'up':
    case 'down':
      return stay(beside(state, key.name === 'up' ? -1 : 1, files));
    case 'r':
      return revert({ path, hunk: state.hunk }, { path, hunk: state.hunk });
    case 'c':
      return stay({ ...state, comment: emptyLine });
    default: {
      const top = scrolled(state.top, key, extent);
      return stay(top === null ? state : { ...state, top });
    }
  }
}

/** The next or previous hunk, through all files. */
function beside(
  state: ChangesState & { hunk: number },
  by: 1 | -1,
  files: readonly ChangedFile[],
): ChangesState {
  const all = files.flatMap(({ hunks }, file) => hunks.map((_, hunk) => ({ file, hunk })));
  const at = all.findIndex(({ file, hunk }) => file === state.file && hunk === state.hunk);
  return { ...state, ...all[(at + by + all.length) % all.length], top: 0 };
}

function revert(chosen: ChosenChange, place: ChangesPlace): Step {
  return { type: 'end', result: { type: 'revert', chosen, place } };
}
