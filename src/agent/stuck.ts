import { isDeepStrictEqual } from 'node:util';
import { StuckError } from '../contract/errors.ts';
import {
  type Message,
  type ToolCallPart,
  type ToolMessage,
  textOf,
  toolCallsOf,
} from '../contract/message.ts';

/** The same tool called wrongly in the same way, or any calls that could not be understood. */
const MOST_ALIKE_FAULTS = 5;
const MOST_FAULTS = 8;
/** A call too long for one answer and two attempts to shorten it. */
const MOST_CUT = 3;

/** The calls of one reply and their answers. */
type Turn = { call: ToolCallPart; answer: ToolMessage | undefined }[];

/**
 * Throws when the model repeats itself, since more turns would only cost time. `alike` is how often the same
 * call may get the same answer; polling a running command is unlimited.
 */
export function refuseRepetition(history: readonly Message[], { alike: most }: { alike: number }): void {
  const turns = lastTurns(history, Math.max(MOST_FAULTS, most));
  const last = turns.at(-1)?.at(-1);
  if (!last) return;
  const faults = faultsInARow(turns);
  if (faults !== null) {
    const words = last.answer ? (textOf(last.answer).split('\n')[0] ?? '') : '';
    throw new StuckError(
      `The model made ${faults} invalid tool calls in a row. ${shortened(words)}`,
      'Ask in smaller steps, choose a stronger model, or run `aca models probe` to detect how this one calls tools.',
    );
  }
  const cut = turns.slice(-MOST_CUT);
  if (cut.length === MOST_CUT && cut.every(isCut)) {
    throw new StuckError(
      `The model hit its output limit in the middle of a tool call ${MOST_CUT} times in a row.`,
      'Ask for smaller steps, raise maxTokens if you set it, or choose a model with a higher output limit.',
    );
  }
  const [first, ...others] = turns.slice(-most);
  if (
    first &&
    others.length === most - 1 &&
    !isWaiting(first) &&
    !isUnreadable(first) &&
    others.every((turn) => !isWaiting(turn) && isDeepStrictEqual(plain(turn), plain(first)))
  ) {
    const { name, input } = last.call;
    throw new StuckError(
      `The model repeated the same call ${most} times with the same result: ${name} ${shortened(JSON.stringify(input))}`,
      'Tell it what to do instead, or choose a stronger model.',
    );
  }
}

/** The latest turns since the last prompt. Searches from the end because this runs before every request. */
function lastTurns(history: readonly Message[], most: number): Turn[] {
  const turns: Turn[] = [];
  const answers = new Map<string, ToolMessage>();
  for (let i = history.length - 1; i >= 0 && turns.length < most; i--) {
    const message = history[i];
    if (!message || message.role === 'user') break;
    if (message.role === 'tool') answers.set(message.callId, message);
    else {
      const calls = toolCallsOf(message);
      if (calls.length > 0) turns.unshift(calls.map((call) => ({ call, answer: answers.get(call.id) })));
    }
  }
  return turns;
}

/** How many, if they are too many; else null. */
function faultsInARow(turns: readonly Turn[]): number | null {
  const all = turns.slice(-MOST_FAULTS);
  if (all.length === MOST_FAULTS && all.every(isUnreadable)) return MOST_FAULTS;
  const alike = turns.slice(-MOST_ALIKE_FAULTS);
  const [first, ...others] = alike.map(faultsOf);
  const isSame = first !== undefined && others.every((faults) => faults === first);
  return alike.length === MOST_ALIKE_FAULTS && isSame && alike.every(isUnreadable) ? MOST_ALIKE_FAULTS : null;
}

function isUnreadable(turn: Turn): boolean {
  return turn.every(({ answer }) => answer?.metadata?.unreadable === true);
}

function faultsOf(turn: Turn): string {
  return turn.map(({ answer }) => String(answer?.metadata?.fault)).join('\n');
}

function isCut(turn: Turn): boolean {
  return turn.some(({ answer }) => answer?.metadata?.cut === true);
}

function isWaiting(turn: Turn): boolean {
  return turn.some(({ answer }) => answer?.metadata?.running === true);
}

/** Drops what differs between two otherwise equal turns. */
function plain(turn: Turn): unknown {
  return turn.map(({ call, answer }) => [call.name, call.malformed ?? call.input, answer?.content]);
}

function shortened(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
