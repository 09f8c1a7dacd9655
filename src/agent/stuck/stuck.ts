import { StuckError } from '../../contract/errors.ts';
import {
  type Message,
  type ToolCallPart,
  type ToolMessage,
  textOf,
  toolCallsOf,
  type UserMessage,
} from '../../contract/message.ts';

/** The same tool called wrongly in the same way, or any calls that could not be understood. */
const MOST_ALIKE_FAULTS = 5;
const MOST_FAULTS = 8;
/** A call too long for one answer and two attempts to shorten it. */
const MOST_CUT = 3;
/** Turns of which every call failed or was refused: when the model is told, and when the run stops. */
const FAILURES = { tell: 5, stop: 12 };
/** One tool that reads, called with other arguments each time, always with the same result. */
const DRIFTING = { tell: 6, stop: 12 };
/** The same call with the same result anywhere, while nothing else got done. */
const ANYWHERE = { tell: 6, stop: 10 };
const LONGEST_CYCLE = 4;
/** How far back repetition is searched for. */
const MOST_TURNS = 48;

/** The calls of one reply and their answers. */
type Turn = { call: ToolCallPart; answer: ToolMessage | undefined }[];

/** `alike` is how often the same call may get the same result. `isReading`: calls of the tool change nothing. */
export type RepetitionLimits = { alike: number; isReading?(tool: string): boolean };

/** How often something repeats, and from when on the model is told and the run stops. */
type Repetition = { count: number; tell: number; stop: number; what: string; hint?: string };

const HINT = 'Tell it what to do instead, or choose a stronger model.';
const NOTE_START = '\n\n[You are repeating yourself: ';

/**
 * What to tell a model that begins to repeat itself; null if it does not. Throws when it continues: more turns would only
 * cost time and money. Polling a running command is unlimited.
 */
export function watchRepetition(history: readonly Message[], limits: RepetitionLimits): UserMessage | null {
  const last = history.at(-1);
  if (last?.role !== 'tool') return null;
  const turns = lastTurns(history, MOST_TURNS);
  const all = repetitionsOf(turns, limits);
  const stuck = all.find(({ count, stop }) => count >= stop);
  if (stuck) throw new StuckError(`The model ${stuck.what}`, stuck.hint ?? HINT);
  const told = all.find(({ count, tell }) => count === tell);
  return told ? noteOn(told) : null;
}

function noteOn({ what }: Repetition): UserMessage {
  const text = `${NOTE_START}you ${what} Doing it again will not help. Read the last result, then try something else: another tool, other arguments, a smaller step. If you cannot continue, say what is missing and end.]`;
  return { role: 'user', content: [{ type: 'text', text }], timestamp: new Date().toISOString() };
}

function repetitionsOf(turns: readonly Turn[], limits: RepetitionLimits): Repetition[] {
  const last = turns.at(-1)?.at(-1);
  if (!last) return [];
  return [
    ...faultsInARow(turns, last),
    ...cutInARow(turns),
    ...cycles(turns, last, limits),
    ...failuresInARow(turns, last),
    ...driftingCalls(turns, last, limits),
    ...sameAnywhere(turns, last, limits),
  ];
}

function faultsInARow(turns: readonly Turn[], last: Turn[number]): Repetition[] {
  const words = last.answer ? (textOf(last.answer).split('\n')[0] ?? '') : '';
  const hint =
    'Ask in smaller steps, choose a stronger model, or run `aca models probe` to detect how this one calls tools.';
  const all = inARow(turns, isUnreadable);
  const first = turns.at(-1);
  const alike = inARow(
    turns,
    (turn) => isUnreadable(turn) && first !== undefined && faultsOf(turn) === faultsOf(first),
  );
  const of = (count: number, stop: number): Repetition => {
    const what = `made ${count} invalid tool calls in a row. ${shortened(words)}`;
    return { count, tell: Number.POSITIVE_INFINITY, stop, what, hint };
  };
  return [of(all, MOST_FAULTS), of(alike, MOST_ALIKE_FAULTS)];
}

function cutInARow(turns: readonly Turn[]): Repetition[] {
  const count = inARow(turns, isCut);
  const what = `hit its output limit in the middle of a tool call ${count} times in a row.`;
  const hint =
    'Ask for smaller steps, raise maxTokens if you set it, or choose a model with a higher output limit.';
  return [{ count, tell: Number.POSITIVE_INFINITY, stop: MOST_CUT, what, hint }];
}

/** The last turns again and again: one turn, or up to four in turn. */
function cycles(turns: readonly Turn[], last: Turn[number], { alike }: RepetitionLimits): Repetition[] {
  const signs = turns.map(signOf);
  for (let period = 1; period <= LONGEST_CYCLE; period++) {
    let same = 0;
    while (same + period < signs.length && signs.at(-1 - same) === signs.at(-1 - same - period)) same++;
    const count = Math.floor(same / period) + 1;
    const what =
      period === 1
        ? `repeated the same call ${count} times with the same result: ${shownCall(last)}`
        : `repeated the same ${period} steps ${count} times with the same results. The last one: ${shownCall(last)}`;
    const stop = period === 1 ? alike : Math.max(3, Math.ceil(alike / 2));
    if (count > 1) return [{ count, tell: Math.max(2, Math.floor(stop / 2)), stop, what }];
  }
  return [];
}

function failuresInARow(turns: readonly Turn[], last: Turn[number]): Repetition[] {
  const count = inARow(
    turns,
    (turn) => turn.every(({ answer }) => answer?.success === false) && !turn.some(isOther),
  );
  const words = last.answer ? (textOf(last.answer).split('\n')[0] ?? '') : '';
  const what = `made ${count} steps in a row whose calls all failed or were refused. The last: ${shownCall(last)}: ${shortened(words)}`;
  return [{ count, ...FAILURES, what }];
}

function driftingCalls(
  turns: readonly Turn[],
  last: Turn[number],
  { isReading }: RepetitionLimits,
): Repetition[] {
  if (!isReading?.(last.call.name)) return [];
  const result = resultOf(last);
  const count = inARow(
    turns,
    (turn) =>
      turn.length === 1 &&
      !isWaiting(turn) &&
      turn[0]?.call.name === last.call.name &&
      turn[0] !== undefined &&
      resultOf(turn[0]) === result,
  );
  const what = `called ${last.call.name} ${count} times in a row with other arguments and always got the same result.`;
  return [{ count, ...DRIFTING, what }];
}

/** Since the last call that changed something: reading the same again and again gets nothing done. */
function sameAnywhere(
  turns: readonly Turn[],
  last: Turn[number],
  { isReading }: RepetitionLimits,
): Repetition[] {
  if (!isReading) return [];
  const signs = new Map<string, number>();
  for (const turn of turns)
    for (const item of turn) {
      const sign = signOf([item]);
      const before = signs.get(sign) ?? 0;
      if (before === 0 && item.answer?.success === true && !isReading(item.call.name)) signs.clear();
      signs.set(sign, before + 1);
    }
  const count = signs.get(signOf([last])) ?? 0;
  const what = `made the same call ${count} times with the same result: ${shownCall(last)}`;
  return [{ count, ...ANYWHERE, what }];
}

/** How many of the last turns in a row are so. */
function inARow(turns: readonly Turn[], isSo: (turn: Turn) => boolean): number {
  const other = turns.findLastIndex((turn) => !isSo(turn));
  return turns.length - 1 - other;
}

/** The latest turns since the last prompt. Searches from the end because this runs before every request. */
function lastTurns(history: readonly Message[], most: number): Turn[] {
  const turns: Turn[] = [];
  const answers = new Map<string, ToolMessage>();
  for (let i = history.length - 1; i >= 0 && turns.length < most; i--) {
    const message = history[i];
    if (!message || (message.role === 'user' && !isNote(message))) break;
    if (message.role === 'user') continue;
    if (message.role === 'tool') answers.set(message.callId, message);
    else {
      const calls = toolCallsOf(message);
      if (calls.length > 0) turns.unshift(calls.map((call) => ({ call, answer: answers.get(call.id) })));
    }
  }
  return turns;
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

/** A failure that has its own limits. */
function isOther({ answer }: Turn[number]): boolean {
  return answer?.metadata?.unreadable === true || answer?.metadata?.cut === true;
}

/** Equal for turns with the same calls and results. A call that waits is never equal to another. */
function signOf(turn: Turn): string {
  const sign = turn.map((item) => [item.call.name, item.call.malformed ?? item.call.input, resultOf(item)]);
  const isSingle = isWaiting(turn) || isUnreadable(turn);
  return JSON.stringify(isSingle ? [turn.map(({ call }) => call.id), sign] : sign);
}

function resultOf({ answer }: Turn[number]): string {
  return JSON.stringify(answer?.content ?? null);
}

function shownCall({ call: { name, input } }: Turn[number]): string {
  return `${name} ${shortened(JSON.stringify(input))}`;
}

function isNote({ content }: UserMessage): boolean {
  return content.some((part) => part.type === 'text' && part.text.startsWith(NOTE_START));
}

function shortened(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
