import type { ReadOnlyProgram, ValueKind } from '../rules/read-only-program.ts';
import type { Word } from './shell-line.ts';

/** Parsed arguments: the flags by name, their values, and the operands. */
export type Told = {
  flags: string[];
  values: { flag: string; kind: ValueKind; word: Word }[];
  operands: Word[];
};

/** What a number looks like that follows an option: `-5`, `10k`, `2,2`, `-10M`. */
const NUMBER = /^-?\d[\w,.]*$/;

/**
 * Parses arguments by a program's own table; returns the first word that the table does not describe exactly, or
 * everything. `hasOptionNames` says whether a pattern could match a file whose name looks like an option.
 */
export function readOptions(
  args: Word[],
  program: ReadOnlyProgram,
  hasOptionNames: () => boolean,
): Told | { unknown: string } {
  const told: Told = { flags: [], values: [], operands: [] };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    // For find, the words after it are still expressions.
    if (word.text === '--' && program.dash !== undefined) return { unknown: word.raw };
    if (word.text === '--' && word.literal) {
      told.operands.push(...rest);
      return told;
    }
    const mayBecomeFlag = word.glob && /^[*?[]/.test(word.text) && !program.anyFlags;
    if (mayBecomeFlag && hasOptionNames()) return { unknown: word.raw };
    const isFlag = /^-./.test(word.text) && !program.anyFlags;
    if (!isFlag) told.operands.push(word);
    else if (
      !word.literal ||
      (word.glob && !isGlobValue(word, program)) ||
      !takeFlag(word, rest, { program, told })
    )
      return { unknown: word.raw };
  }
  return told;
}

/** `--include=*.py`: whatever the pattern matches starts with the same option. */
function isGlobValue({ text }: Word, program: ReadOnlyProgram): boolean {
  const [, name = ''] = /^--([\w-]+)=/.exec(text) ?? [];
  return kindOf(program, name) === 'text';
}

type Reading = { program: ReadOnlyProgram; told: Told };

function takeFlag(word: Word, rest: Word[], { program, told }: Reading): boolean {
  const { text } = word;
  if (program.dash?.includes(text)) {
    told.flags.push(text);
    return true;
  }
  if (kindOf(program, text) !== undefined) return takeNext(text, rest, { program, told });
  const [isLong, name = '', glued] = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (isLong === undefined) return !text.startsWith('--') && takeLetters(word, rest, { program, told });
  if (glued !== undefined) return takeGlued(name, { ...word, text: glued }, { program, told });
  if (kindOf(program, name) !== undefined) return takeNext(name, rest, { program, told });
  told.flags.push(name);
  return program.long?.includes(name) === true || program.optional?.includes(name) === true;
}

/** In a cluster, only numbers are taken for values: versions of a program differ in which letters have one. */
function takeLetters(word: Word, rest: Word[], reading: Reading): boolean {
  const { program, told } = reading;
  const { text } = word;
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? '';
    const behind = text.slice(at + 1);
    if (program.numbers && /^[0-9][0-9,]*$/.test(text.slice(at))) return true;
    if (at > 1 && program.single) return false;
    if (behind !== '' && mayHaveValue(program, letter))
      return (at === 1 || NUMBER.test(behind)) && takeGlued(letter, { ...word, text: behind }, reading);
    if (kindOf(program, letter) !== undefined) return at === 1 && takeNext(letter, rest, reading);
    if (!program.short?.includes(letter) && !program.optional?.includes(letter)) return false;
    told.flags.push(letter);
  }
  return true;
}

/** A separate value never looks like an option: another version of the program might see one in it. */
function takeNext(flag: string, rest: Word[], reading: Reading): boolean {
  const word = rest.shift();
  if (word === undefined || !word.literal || word.glob) return false;
  if (word.text.startsWith('-') && word.text !== '-' && !NUMBER.test(word.text)) return false;
  return take(flag, word, reading);
}

function takeGlued(flag: string, word: Word, reading: Reading): boolean {
  return mayHaveValue(reading.program, flag) && take(flag, word, reading);
}

function mayHaveValue(program: ReadOnlyProgram, name: string): boolean {
  const inWord = [...(program.optional ?? []), ...(program.attached ?? [])];
  return kindOf(program, name) !== undefined || inWord.includes(name);
}

function take(flag: string, word: Word, { program, told }: Reading): boolean {
  told.flags.push(flag);
  told.values.push({ flag, kind: kindOf(program, flag) ?? 'text', word });
  return true;
}

function kindOf({ values }: ReadOnlyProgram, name: string): ValueKind | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}
