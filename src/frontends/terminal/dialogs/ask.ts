import type { Key } from '../view/types.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** A question from the model. `selected` is a choice, or one past the last for free text. */
export type AskState = {
  selected: number;
  /** A number that has selected a choice; if more text follows, it starts a free-text answer. */
  picked: string;
  own: TextLine;
};

/** `interrupt` stops the run instead of answering. */
export type AskOutcome = { type: 'answer'; text: string } | { type: 'interrupt' };

export type AskStep = { type: 'state'; state: AskState } | { type: 'done'; outcome: AskOutcome };

export const openAsk: AskState = { selected: 0, picked: '', own: emptyLine };

/** A number selects a choice; any other text is a free-text answer. */
export function pressAsk(state: AskState, key: Key, choices: readonly string[]): AskStep {
  const { selected, picked, own } = state;
  const isOwn = selected >= choices.length;
  if (key.type === 'key') {
    if (key.name === 'escape' || (key.ctrl && key.name === 'c'))
      return { type: 'done', outcome: { type: 'interrupt' } };
    if (key.name === 'return') {
      const text = isOwn ? own.text.trim() : (choices[selected] ?? '');
      return { type: 'done', outcome: { type: 'answer', text } };
    }
    const by = key.name === 'up' ? -1 : key.name === 'down' ? 1 : 0;
    const moved = Math.max(0, Math.min(choices.length, selected + by));
    if (by !== 0) return { type: 'state', state: { ...state, selected: moved, picked: '' } };
    const numbered = own.text === '' && picked === '' ? Number(key.text || Number.NaN) - 1 : Number.NaN;
    if (choices[numbered] !== undefined)
      return { type: 'state', state: { ...state, selected: numbered, picked: key.text } };
  }
  const before = picked === '' ? own : { text: picked, at: picked.length };
  const line = edited(before, key);
  return {
    type: 'state',
    state: line ? { selected: choices.length, picked: '', own: line } : state,
  };
}
