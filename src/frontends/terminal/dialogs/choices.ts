import type { Key } from '../view/types.ts';
import { type Extent, scrolled } from './scroll.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** One way to answer; `short` is for narrow screens. */
export type Choice<Name extends string = string> = {
  name: Name;
  words: string;
  short: string;
  /** A letter that selects it, like its number does. */
  letter?: string;
  /** Shift+Tab selects it. */
  onShiftTab?: true;
  /** Asks for a line of text first, after this label. */
  asks?: string;
  /** Counts only after the end of the body was visible. */
  needsEnd?: true;
};

/** The choices of a question. */
export type Choices<Name extends string> = {
  list: readonly Choice<Name>[];
  /** None is selected at first: Enter alone does not answer. */
  isExplicit?: boolean;
};

/** A body that scrolls, above a list of choices. */
export type ChoiceState = {
  /** The first visible row of the body. */
  top: number;
  /** Position in the list. */
  selected: number | null;
  /** Numbers and letters that have selected a choice. If more text follows, they were text for the prompt. */
  picked: readonly Key[];
  /** The text that a choice asks for, while it is being typed. */
  typing: { name: string; label: string; line: TextLine } | null;
  /** Why the last Enter did not count. */
  refused: 'unread' | 'unselected' | null;
};

export type ChoiceStep<Name extends string> =
  | { type: 'state'; state: ChoiceState }
  | { type: 'chosen'; name: Name; text: string }
  /** Stops the run instead of answering. */
  | { type: 'interrupt' }
  /** Text for the prompt. */
  | { type: 'typed'; keys: readonly Key[]; state: ChoiceState };

export function openChoices({ isExplicit = false }: Pick<Choices<string>, 'isExplicit'>): ChoiceState {
  return { top: 0, selected: isExplicit ? null : 0, picked: [], typing: null, refused: null };
}

/** `shown`: whether the last row of the body has been on the screen. */
export type ChoicePress<Name extends string> = {
  key: Key;
  extent: Extent;
  choices: Choices<Name>;
  shown: 'all' | 'part';
};

/** Handles one key. Only Enter answers; text that selects nothing belongs to the prompt. */
export function pressChoices<Name extends string>(
  state: ChoiceState,
  press: ChoicePress<Name>,
): ChoiceStep<Name> {
  const { key, choices } = press;
  if (key.type === 'key' && key.ctrl && key.name === 'c') return { type: 'interrupt' };
  if (state.typing) return typeText(state, state.typing, { key, choices });
  if (key.type === 'paste') return textFor(state, key, choices);
  if (key.type !== 'key' || key.ctrl || key.alt) return { type: 'state', state };
  if (key.name === 'escape') return { type: 'interrupt' };
  if (key.name === 'return') return takeSelected(state, press);
  if (key.text !== '') return textFor(state, key, choices);
  const selected = movedTo(state, key, choices.list);
  if (selected !== null) return { type: 'state', state: { ...state, selected, picked: [], refused: null } };
  const top = scrolled(state.top, key, press.extent);
  return { type: 'state', state: top === null ? state : { ...state, top, refused: null } };
}

function takeSelected<Name extends string>(
  state: ChoiceState,
  { choices, shown }: ChoicePress<Name>,
): ChoiceStep<Name> {
  const choice = choices.list[state.selected ?? -1];
  if (!choice) return { type: 'state', state: { ...state, refused: 'unselected' } };
  const { name, asks, needsEnd } = choice;
  if (asks !== undefined) {
    const typing = { name, label: asks, line: emptyLine };
    return { type: 'state', state: { ...state, picked: [], typing } };
  }
  if (needsEnd && shown === 'part') return { type: 'state', state: { ...state, refused: 'unread' } };
  return { type: 'chosen', name, text: '' };
}

type TextKey = Extract<Key, { type: 'key' | 'paste' }>;

/** A number or letter selects its choice until other text follows. */
function textFor<Name extends string>(
  state: ChoiceState,
  key: TextKey,
  choices: Choices<Name>,
): ChoiceStep<Name> {
  const picked = [...state.picked, key];
  const at = choices.list.findIndex(
    ({ letter }, i) => key.type === 'key' && [letter, String(i + 1)].includes(key.text.toLowerCase()),
  );
  if (at !== -1) return { type: 'state', state: { ...state, selected: at, picked, refused: null } };
  return { type: 'typed', keys: picked, state: { ...openChoices(choices), top: state.top } };
}

type Typed<Name extends string> = { key: Key; choices: Choices<Name> };

function typeText<Name extends string>(
  state: ChoiceState,
  typing: NonNullable<ChoiceState['typing']>,
  { key, choices }: Typed<Name>,
): ChoiceStep<Name> {
  const pressed = key.type === 'key' ? key.name : '';
  if (pressed === 'escape') return { type: 'state', state: { ...state, typing: null } };
  const choice = choices.list.find(({ name }) => name === typing.name);
  if (pressed === 'return' && choice)
    return { type: 'chosen', name: choice.name, text: typing.line.text.trim() };
  const line = edited(typing.line, key) ?? typing.line;
  return { type: 'state', state: { ...state, typing: { ...typing, line } } };
}

type PlainKey = Extract<Key, { type: 'key' }>;

/** The selection after a key that moves it, or null. */
function movedTo(
  { selected }: ChoiceState,
  { name, shift }: PlainKey,
  list: readonly Choice[],
): number | null {
  if (name === 'tab' && shift) {
    const at = list.findIndex(({ onShiftTab }) => onShiftTab);
    if (at !== -1) return at;
  }
  if (name === 'up' || name === 'left' || (name === 'tab' && shift))
    return ((selected ?? list.length) + list.length - 1) % list.length;
  if (name === 'down' || name === 'right' || name === 'tab') return ((selected ?? -1) + 1) % list.length;
  return null;
}
