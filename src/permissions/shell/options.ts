import type { ReadOnlyProgram, ValueKind } from '../rules/read-only-program.ts';
import type { Word } from './shell-line.ts';

/** Parsed arguments: the flags by name, their values, and the operands. */
export type Told = {
  flags: string[];
  values: { flag: string; kind: ValueKind; word: Word }[];
  operands: Word[];
};

/** Parses arguments by a program's own table; returns the first unknown flag, or everything. */
export function readOptions(args: Word[], program: ReadOnlyProgram): Told | { unknown: string } {
  const told: Told = { flags: [], values: [], operands: [] };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    // For find, the words after it are still expressions.
    if (word.text === '--' && program.dash !== undefined) return { unknown: word.raw };
    if (word.text === '--' && word.literal) {
      told.operands.push(...rest);
      return told;
    }
    const isFlag = /^-./.test(word.text) && program.anyFlags === undefined;
    if (!isFlag) told.operands.push(word);
    else if (!word.literal || word.glob || !takeFlag(word, rest, { program, told }))
      return { unknown: word.raw };
  }
  return told;
}

type Reading = { program: ReadOnlyProgram; told: Told };

function takeFlag(word: Word, rest: Word[], { program, told }: Reading): boolean {
  const { text } = word;
  if (program.dash?.includes(text)) {
    told.flags.push(text);
    return true;
  }
  const [, name = '', glued] = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (program.values !== undefined && Object.hasOwn(program.values, text)) {
    return takeValue(text, rest.shift(), { program, told });
  }
  if (text.startsWith('--')) {
    if (program.long?.includes(name)) told.flags.push(name);
    else if (hasValue(program, name)) {
      return takeValue(name, glued === undefined ? rest.shift() : { ...word, text: glued }, {
        program,
        told,
      });
    } else return false;
    return true;
  }
  return takeLetters(word, rest, { program, told });
}

function takeLetters(word: Word, rest: Word[], reading: Reading): boolean {
  const { program, told } = reading;
  const { text } = word;
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? '';
    const behind = text.slice(at + 1);
    if (program.numbers && /^[0-9][0-9,]*$/.test(text.slice(at))) return true;
    if (hasValue(program, letter)) {
      return takeValue(letter, behind === '' ? rest.shift() : { ...word, text: behind }, reading);
    }
    told.flags.push(letter);
    if (program.glued?.includes(letter)) return true;
    if (!program.short?.includes(letter)) return false;
  }
  return true;
}

function hasValue(program: ReadOnlyProgram, name: string): boolean {
  return program.values !== undefined && Object.hasOwn(program.values, name);
}

function takeValue(flag: string, word: Word | undefined, { program, told }: Reading): boolean {
  const kind = program.values?.[flag];
  if (word === undefined || kind === undefined || !word.literal || word.glob) return false;
  told.flags.push(flag);
  told.values.push({ flag, kind, word });
  return true;
}
