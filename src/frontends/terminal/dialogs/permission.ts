import type { Answer, PermissionRequest } from '../../../contract/permission.ts';
import type { Key } from '../view/types.ts';
import { type Guard, guardFrom, tooEarly } from './guard.ts';
import { type Extent, scrolled } from './scroll.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

type ChoiceName = 'once' | 'session' | 'always' | 'no' | 'reason';

/** A choice and its key; `short` is for narrow screens. */
export type Choice = { name: ChoiceName; key: string; words: string; short: string };

/** The user's decision; `interrupt` stops the run instead of answering. */
export type PermissionOutcome = { type: 'answer'; answer: Answer } | { type: 'interrupt' };

export type PermissionState = {
  guard: Guard;
  /** The first visible row of the body. */
  top: number;
  /** Selected with Tab, for Enter; none at first, so that Enter alone approves nothing. */
  selected: number | null;
  /** The reason for a refusal, while it is being typed. */
  reason: TextLine | null;
  /** Approved before the end was visible: the user is asked to read on first. */
  hasty: boolean;
};

export type PermissionStep =
  | { type: 'state'; state: PermissionState }
  | { type: 'done'; outcome: PermissionOutcome }
  /** Typed before the user can have read the question: it belongs to the prompt. */
  | { type: 'early'; state: PermissionState };

export function openPermission(now: number): PermissionState {
  return { guard: guardFrom(now), top: 0, selected: null, reason: null, hasty: false };
}

/** Only what the request offers: without rules to remember, an approval counts once. */
export function choicesOf({ grants = [] }: Pick<PermissionRequest, 'grants'>): Choice[] {
  const once: Choice = { name: 'once', key: 'y', words: 'yes, once', short: 'once' };
  const lasting: Choice[] = [
    { name: 'session', key: 's', words: 'for this session', short: 'session' },
    { name: 'always', key: 'a', words: 'always in this folder', short: 'always' },
  ];
  const no: Choice[] = [
    { name: 'no', key: 'n', words: 'no', short: 'no' },
    { name: 'reason', key: 'r', words: 'no, and say why', short: 'no, why' },
  ];
  return [once, ...(grants.length > 0 ? lasting : []), ...no];
}

/** `shown`: whether the last row of the body has been on the screen. */
type Press = { key: Key; now: number; extent: Extent; choices: readonly Choice[]; shown: 'all' | 'part' };

/** Handles one key. Pastes and keys with Ctrl or Alt do not answer. */
export function pressPermission(state: PermissionState, press: Press): PermissionStep {
  const { key, now } = press;
  if (key.type === 'focus' || key.type === 'reply') return { type: 'state', state };
  // Stopping is possible without having read the request.
  if (isInterrupt(key)) return { type: 'done', outcome: { type: 'interrupt' } };
  const guard = tooEarly(state.guard, now);
  if (guard) return { type: 'early', state: { ...state, guard } };
  return state.reason ? pressReason(state, state.reason, key) : pressChoice(state, press);
}

function pressReason(state: PermissionState, reason: TextLine, key: Key): PermissionStep {
  const name = key.type === 'key' ? key.name : '';
  if (name === 'escape') return { type: 'state', state: { ...state, reason: null } };
  if (name === 'return') {
    const said = reason.text.trim();
    return answered(said === '' ? { choice: 'no' } : { choice: 'no', reason: said });
  }
  return { type: 'state', state: { ...state, reason: edited(reason, key) ?? reason } };
}

function pressChoice(state: PermissionState, { key, extent, choices, shown }: Press): PermissionStep {
  if (key.type !== 'key' || key.ctrl || key.alt) return { type: 'state', state };
  if (key.name === 'escape') return { type: 'done', outcome: { type: 'interrupt' } };
  const step = stepOf(key);
  if (step !== 0)
    return { type: 'state', state: { ...state, selected: moved(state.selected, step, choices) } };
  const chosen =
    key.name === 'return' ? choices[state.selected ?? -1] : choices.find((choice) => choice.key === key.name);
  if (chosen) return take(state, chosen, shown);
  const top = scrolled(state.top, key, extent);
  return { type: 'state', state: top === null ? state : { ...state, top, hasty: false } };
}

function take(state: PermissionState, { name }: Choice, shown: Press['shown']): PermissionStep {
  if (name === 'reason') return { type: 'state', state: { ...state, reason: emptyLine } };
  if (name === 'no') return answered({ choice: name });
  if (shown === 'part') return { type: 'state', state: { ...state, hasty: true } };
  return answered({ choice: name, shown });
}

function answered(answer: Answer): PermissionStep {
  return { type: 'done', outcome: { type: 'answer', answer } };
}

function stepOf(key: Extract<Key, { type: 'key' }>): -1 | 0 | 1 {
  if (key.name === 'left' || (key.name === 'tab' && key.shift)) return -1;
  return key.name === 'right' || key.name === 'tab' ? 1 : 0;
}

function moved(selected: number | null, step: -1 | 1, { length }: readonly Choice[]): number {
  if (selected === null) return step === 1 ? 0 : length - 1;
  return (selected + step + length) % length;
}

function isInterrupt(key: Key): boolean {
  return key.type === 'key' && key.ctrl && key.name === 'c';
}
