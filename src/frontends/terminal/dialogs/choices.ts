import type { Key } from '../view/types.ts';
import { type Guard, guardFrom, tooEarly } from './guard.ts';
import { type Extent, scrolled } from './scroll.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** One way to answer; `short` is for narrow screens. */
export type Choice<Name extends string = string> = {
  name: Name;
  /** Takes it at once; empty for none. */
  key: string;
  words: string;
  short: string;
  /** Asks for a line of text first, after this label. */
  asks?: string;
  /** Counts only after the end of the body was visible. */
  needsEnd?: true;
  /** Not in the list: taken by its key only. */
  unlisted?: true;
};

/** A body that scrolls, above a list of choices. */
export type ChoiceState = {
  guard: Guard;
  /** The first visible row of the body. */
  top: number;
  /** Position in the list. */
  selected: number;
  /** The text that a choice asks for, while it is being typed. */
  typing: { name: string; label: string; line: TextLine } | null;
  /** Chosen before the end was visible: the user is asked to read on first. */
  hasty: boolean;
};

export type ChoiceStep<Name extends string> =
  | { type: 'state'; state: ChoiceState }
  | { type: 'chosen'; name: Name; text: string }
  /** Stops the run instead of answering. */
  | { type: 'interrupt' }
  /** Typed before the user can have read the question: it belongs to the prompt. */
  | { type: 'early'; state: ChoiceState }
  /** A key without a meaning here. */
  | { type: 'other' };

export function openChoices(now: number): ChoiceState {
  return { guard: guardFrom(now), top: 0, selected: 0, typing: null, hasty: false };
}

export function listed<Name extends string>(choices: readonly Choice<Name>[]): Choice<Name>[] {
  return choices.filter(({ unlisted }) => !unlisted);
}

/** `shown`: whether the last row of the body has been on the screen. */
export type ChoicePress<Name extends string> = {
  key: Key;
  now: number;
  extent: Extent;
  choices: readonly Choice<Name>[];
  shown: 'all' | 'part';
};

/** Handles one key. Pastes and keys with Ctrl or Alt do not answer. */
export function pressChoices<Name extends string>(
  state: ChoiceState,
  press: ChoicePress<Name>,
): ChoiceStep<Name> {
  const { key, now, choices } = press;
  if (key.type === 'focus' || key.type === 'reply') return { type: 'state', state };
  // Stopping is possible without having read the request.
  if (key.type === 'key' && key.ctrl && key.name === 'c') return { type: 'interrupt' };
  const guard = tooEarly(state.guard, { now, isEnter: key.type === 'key' && key.name === 'return' });
  if (guard) return { type: 'early', state: { ...state, guard } };
  if (state.typing) return typeText(state, state.typing, { key, choices });
  if (key.type !== 'key' || key.ctrl || key.alt) return { type: 'state', state };
  if (key.name === 'escape') return { type: 'interrupt' };
  const step = stepOf(key);
  if (step !== 0) return { type: 'state', state: moved(state, step, listed(choices).length) };
  const chosen = choiceOf(key, state, choices);
  if (chosen) return takeChoice(state, chosen, press.shown);
  const top = scrolled(state.top, key, press.extent);
  if (top !== null) return { type: 'state', state: { ...state, top, hasty: false } };
  if (key.text.trim() === '') return { type: 'other' };
  // Text for the prompt, typed in spite of the dialog: Enter after it does not answer.
  return {
    type: 'early',
    state: { ...state, guard: { ...state.guard, early: { at: now, isEnter: false } } },
  };
}

/** As if its key was pressed. */
export function takeChoice<Name extends string>(
  state: ChoiceState,
  { name, asks, needsEnd }: Choice<Name>,
  shown: 'all' | 'part',
): ChoiceStep<Name> {
  if (asks !== undefined)
    return { type: 'state', state: { ...state, typing: { name, label: asks, line: emptyLine } } };
  if (needsEnd && shown === 'part') return { type: 'state', state: { ...state, hasty: true } };
  return { type: 'chosen', name, text: '' };
}

type Typed<Name extends string> = { key: Key; choices: readonly Choice<Name>[] };

function typeText<Name extends string>(
  state: ChoiceState,
  typing: NonNullable<ChoiceState['typing']>,
  { key, choices }: Typed<Name>,
): ChoiceStep<Name> {
  const pressed = key.type === 'key' ? key.name : '';
  if (pressed === 'escape') return { type: 'state', state: { ...state, typing: null } };
  const choice = choices.find(({ name }) => name === typing.name);
  if (pressed === 'return' && choice)
    return { type: 'chosen', name: choice.name, text: typing.line.text.trim() };
  const line = edited(typing.line, key) ?? typing.line;
  return { type: 'state', state: { ...state, typing: { ...typing, line } } };
}

type PlainKey = Extract<Key, { type: 'key' }>;

function choiceOf<Name extends string>(
  { name, shift }: PlainKey,
  { selected }: ChoiceState,
  choices: readonly Choice<Name>[],
): Choice<Name> | undefined {
  const list = listed(choices);
  if (name === 'return') return list[selected];
  if (name === 'tab' && shift) return undefined;
  return /^[1-9]$/.test(name) ? list[Number(name) - 1] : choices.find(({ key }) => key === name);
}

function stepOf({ name, shift }: PlainKey): -1 | 0 | 1 {
  if (name === 'up' || name === 'left') return -1;
  return name === 'down' || name === 'right' || (name === 'tab' && !shift) ? 1 : 0;
}

function moved(state: ChoiceState, step: -1 | 1, length: number): ChoiceState {
  return { ...state, selected: (state.selected + step + length) % length };
}
