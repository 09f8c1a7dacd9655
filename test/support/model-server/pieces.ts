import { createHash } from 'node:crypto';
import type { Exchange } from './protocol.ts';
import type { Answer, ReplyPart, ScriptedStop, ScriptedUsage } from './script.ts';

export type ScriptedCall = Extract<ReplyPart, { type: 'call' }>;

/** Piece lengths, used in rotation: uneven, so that words and tags are split at different places. */
const LENGTHS = [5, 3, 8, 2, 13];

/** The text in several pieces that join to it. Surrogate pairs are kept together unless `longest` is 1. */
export function split(text: string, longest = 13): string[] {
  const units = longest === 1 ? text.split('') : [...text];
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < units.length; turn++) {
    const length = Math.min(LENGTHS[turn % LENGTHS.length] ?? longest, longest);
    pieces.push(units.slice(at, at + length).join(''));
    at += length;
  }
  return pieces;
}

/** The argument text of a call, or undefined if it has none. */
export function argumentText(call: ScriptedCall): string | undefined {
  if (call.noArguments) return undefined;
  return call.rawArguments ?? JSON.stringify(call.input);
}

/** Arguments for protocols that send them as a value: invalid JSON stays a string. */
export function argumentValue(call: ScriptedCall): unknown {
  return call.noArguments ? undefined : (call.rawArguments ?? call.input);
}

/** Undefined if the script wants none; otherwise its own, or a unique one. */
export function idOf(call: ScriptedCall, position: number, { seq, prefix }: { seq: number; prefix: string }) {
  if (call.id === null) return undefined;
  return call.id ?? `${prefix}${String(seq).padStart(4, '0')}${String(position).padStart(4, '0')}`;
}

export function stopOf(answer: Answer): ScriptedStop {
  return answer.stop ?? (answer.parts.some((part) => part.type === 'call') ? 'calls' : 'end');
}

/** The script's figures, completed with about one token per four characters; undefined if there are none. */
export function usageOf(answer: Answer, { body }: Pick<Exchange, 'body'>): ScriptedUsage | undefined {
  if (answer.usage === null) return undefined;
  const tokens = (characters: number) => Math.ceil(characters / 4);
  const said = answer.parts.map((part) =>
    part.type === 'call' ? part.name + (argumentText(part) ?? '') : part.text,
  );
  const thought = answer.parts.filter((part) => part.type === 'thinking').map((part) => part.text);
  return {
    inputTokens: countTokens(body),
    outputTokens: tokens(said.join('').length),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: tokens(thought.join('').length),
    ...answer.usage,
  };
}

export function countTokens(body: unknown): number {
  return Math.ceil(JSON.stringify(body).length / 4);
}

/**
 * Proof that this server produced this thought. It is derived from the thought, so that any process can
 * verify it.
 */
export function sign(thought: string): string {
  return createHash('sha256').update(`thought:${thought}`).digest('base64');
}

export function signCall(name: unknown, input: unknown): string {
  return sign(`call:${String(name)}:${JSON.stringify(input ?? null)}`);
}

const SEALED = 'sealed:';

/** A thought that only this server can read again. */
export function seal(thought: string): string {
  return Buffer.from(SEALED + thought).toString('base64');
}

export function isSealed(data: unknown): boolean {
  return typeof data === 'string' && Buffer.from(data, 'base64').toString().startsWith(SEALED);
}

/** All content of one kind in the answer. */
export function joined(answer: Answer, type: 'text' | 'thinking'): string {
  return answer.parts.map((part) => (part.type === type ? part.text : '')).join('');
}

/** One value from each stream in turn, until all are empty. */
export function* weave<T>(streams: Generator<T>[]): Generator<T> {
  for (let open = streams; open.length > 0; ) {
    const turns = open.map((stream) => ({ stream, turn: stream.next() }));
    for (const { turn } of turns) if (!turn.done) yield turn.value;
    open = turns.filter(({ turn }) => !turn.done).map(({ stream }) => stream);
  }
}
