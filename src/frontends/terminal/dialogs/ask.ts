import type { Key } from '../view/types.ts';
import { type Guard, guardFrom, tooEarly } from './guard.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** A question from the model. `selected` is a choice, or one past the last for free text. */
export type AskState = { guard: Guard; selected: number; own: TextLine };

/** `interrupt` stops the run instead of answering. */
export type AskOutcome = { type: 'answer'; text: string } | { type: 'interrupt' };

export type AskStep =
  | { type: 'state'; state: AskState }
  | { type: 'done'; outcome: AskOutcome }
  /** Typed before the user can have read the question: it belongs to the prompt. */
  | { type: 'early'; state: AskState };

export function openAsk(now: number): AskState {
  return { guard: guardFrom(now), selected: 0, own: emptyLine };
}

type Press = { key: Key; now: number; choices: readonly string[] };

/** A number selects a choice immediately; any other letter starts a free-text answer. */
export function pressAsk(state: AskState, { key, now, choices }: Press): AskStep {
  if (key.type === 'focus' || key.type === 'reply') return { type: 'state', state };
  const interrupt = { type: 'done', outcome: { type: 'interrupt' } } as const;
  if (key.type === 'key' && key.ctrl && key.name === 'c') return interrupt;
  const guard = tooEarly(state.guard, { now, isEnter: key.type === 'key' && key.name === 'return' });
  if (guard) return { type: 'early', state: { ...state, guard } };
  const typing = state.selected >= choices.length;
  if (key.type === 'key') {
    if (key.name === 'escape') return interrupt;
    if (key.name === 'return') return taken(typing ? state.own.text.trim() : choices[state.selected]);
    const numbered =
      typing && choices.length > 0 && state.own.text !== '' ? undefined : choices[Number(key.text) - 1];
    if (numbered !== undefined && key.text !== '') return taken(numbered);
    const by = key.name === 'up' ? -1 : key.name === 'down' ? 1 : 0;
    const selected = Math.max(0, Math.min(choices.length, state.selected + by));
    if (by !== 0) return { type: 'state', state: { ...state, selected } };
  }
  const own = edited(state.own, key);
  return { type: 'state', state: own ? { ...state, own, selected: choices.length } : state };
}

function taken(text: string | undefined): AskStep {
  return { type: 'done', outcome: { type: 'answer', text: text ?? '' } };
}
