import { isHarmless } from './shell/look.ts';
import { parseLine } from './shell/parse.ts';
import { reach } from './shell/reach.ts';
import type { SimpleCommand, Word } from './shell/shell-line.ts';
import { programOf } from './shell/wrappers.ts';

/**
 * To loosen: every command of the line must be this one, nothing may be substituted, assigned or redirected into
 * a file. A specifier that is the whole line, character by character, always covers it.
 */
export function matchesEveryCommand(specifier: string, line: string): boolean {
  if (isWholeLine(specifier, line)) return true;
  const { commands, doubts } = parseLine(line);
  return (
    doubts.length === 0 &&
    commands.length > 0 &&
    commands.every((command) => coversCommand(specifier, command))
  );
}

/** Whether the words of one command, run as it is written, are what the specifier says. */
export function coversCommand(specifier: string, command: SimpleCommand): boolean {
  const plain =
    command.assignments.length === 0 &&
    command.nested.length === 0 &&
    command.redirects.every(isHarmless) &&
    command.words.every(({ literal }) => literal) &&
    command.next !== '&';
  const wanted = wordsOf(specifier);
  return plain && wanted !== null && matchesWords(wanted, command.words);
}

/** To tighten: some command that the line would run, however wrapped, is this one. */
export function matchesSomeCommand(specifier: string, line: string): boolean {
  if (isWholeLine(specifier, line)) return true;
  const wanted = wordsOf(specifier);
  if (wanted === null) return false;
  const parsed = parseLine(line);
  const written = parsed.commands.map((command) => command.words);
  const reached = reach(parsed, { cwd: '.' }).map(({ command }) => withName(command));
  return [...written, ...reached].some((words) => matchesWords(wanted, words));
}

/** Makes a specifier that means exactly this line. */
export function escapeCommand(line: string): string {
  return line.trim().replace(/[\\*]/g, '\\$&');
}

/** Whether a specifier without wildcards is this line, character by character. */
export function isWholeLine(specifier: string, line: string): boolean {
  return !/(^|[^\\])(\\\\)*\*/.test(specifier) && specifier.replace(/\\([\\*])/g, '$1') === line.trim();
}

/** Null when the specifier is more than the words of one command; it then only means itself as a whole. */
function wordsOf(specifier: string): Word[] | null {
  const { commands, doubts } = parseLine(specifier);
  const [command, ...others] = commands;
  const isOne = command !== undefined && others.length === 0 && command.next === null;
  const isBare = isOne && command.assignments.length + command.redirects.length === 0;
  const doubtful = doubts.some((doubt) => !(doubt.includes('name is computed') && /^\*/.test(specifier)));
  return isBare && !doubtful && !specifier.includes('\\') ? command.words : null;
}

/** A last `*` stands for any further words, any other `*` for any letters within one word. */
function matchesWords(wanted: Word[], words: Word[]): boolean {
  const open = isStar(wanted.at(-1));
  const fixed = open ? wanted.slice(0, -1) : wanted;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((word, i) => matchesWord(word, words[i]?.text ?? ''));
}

function matchesWord(wanted: Word, text: string): boolean {
  if (!wanted.glob || !wanted.text.includes('*')) return wanted.text === text;
  const parts = wanted.text.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(text);
}

function isStar(word: Word | undefined): boolean {
  return word?.text === '*' && word.glob;
}

/** `/usr/bin/curl` is curl to somebody who forbids curl. */
function withName(command: SimpleCommand): Word[] {
  const [first, ...rest] = command.words;
  return first === undefined ? [] : [{ ...first, text: programOf(command) }, ...rest];
}
