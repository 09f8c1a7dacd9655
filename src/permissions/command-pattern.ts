import { globOf } from './pattern/tool-names.ts';
import { isHarmless } from './shell/look.ts';
import { parseLine } from './shell/parse.ts';
import { reach } from './shell/reach.ts';
import type { SimpleCommand, Word } from './shell/shell-line.ts';
import { inContainer, programOf } from './shell/wrappers.ts';

/**
 * For allow rules: every command of the line must match, without substitutions, assignments or redirects into
 * files. A specifier that equals the whole line always covers it.
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

/** Whether the words of one command, run as written, match the specifier. */
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

/** For ask and deny rules: some command that the line would run, however wrapped, matches. */
export function matchesSomeCommand(specifier: string, line: string): boolean {
  if (isWholeLine(specifier, line)) return true;
  const wanted = wordsOf(specifier);
  const globs = textGlobs(specifier);
  if (wanted === null) return globs.some((glob) => glob.test(line.trim()));
  const parsed = parseLine(line);
  const written = parsed.commands.map((command) => command.words);
  const found = reach(parsed, { cwd: '.' });
  const contained = found.flatMap(({ command }) => inContainer(command) ?? []);
  const reached = [...found.map(({ command }) => command), ...contained].map(withName);
  return [...written, ...reached].some((words) => {
    const text = words.map((word) => word.text).join(' ');
    return matchesWords(wanted, nameMatched(wanted, words)) || globs.some((glob) => glob.test(text));
  });
}

/** `/usr/bin/cur? x` runs the program of a rule if the pattern can match its name. */
function nameMatched(wanted: Word[], words: Word[]): Word[] {
  const [first, ...rest] = words;
  const [name] = wanted;
  if (first === undefined || name === undefined || !first.glob || name.glob) return words;
  const pattern = first.text.slice(first.text.lastIndexOf('/') + 1).replaceAll(/[\\^$.+(){}|]/g, '\\$&');
  const source = pattern.replaceAll('*', '.*').replaceAll('?', '.').replaceAll('[!', '[^');
  const isPattern = !/\[[^\]]*$/.test(source);
  return !isPattern || new RegExp(`^${source}$`).test(name.text)
    ? [{ ...first, text: name.text }, ...rest]
    : words;
}

/**
 * A specifier as text in which each `*` matches any characters, spaces included: what it means in Claude
 * Code. Before a last ` *` or `:*` a word ends.
 */
function textGlobs(specifier: string): RegExp[] {
  if (!specifier.includes('*') || specifier.includes('\\')) return [];
  const before = specifier.replace(/(:| )\*$/, '');
  const isOpen = before !== specifier;
  const texts = isOpen ? [before, `${before} *`, specifier] : [specifier];
  // After a character that ends a word, as in `cat src/:*`, anything may follow.
  const ended = isOpen && /[^\w\s)]$/.test(before) ? [`${before}*`] : [];
  return [...texts, ...ended].map(globOf);
}

/** A specifier that matches exactly this line. */
export function escapeCommand(line: string): string {
  return line.trim().replace(/[\\*]/g, '\\$&');
}

/** Whether a specifier without wildcards equals this line. */
export function isWholeLine(specifier: string, line: string): boolean {
  return !/(^|[^\\])(\\\\)*\*/.test(specifier) && specifier.replace(/\\([\\*])/g, '$1') === line.trim();
}

/** `git log:*`, as Claude Code writes it, means `git log *`. */
function asWords(specifier: string): string {
  return specifier.replace(/:\*$/, ' *');
}

/** Null if the specifier is more than the words of one command; it then matches only as a whole line. */
function wordsOf(written: string): Word[] | null {
  const specifier = asWords(written);
  const { commands, doubts } = parseLine(specifier);
  const [command, ...others] = commands;
  const isOne = command !== undefined && others.length === 0 && command.next === null;
  const isBare = isOne && command.assignments.length + command.redirects.length === 0;
  const doubtful = doubts.some((doubt) => doubt !== 'computed_name' || !specifier.startsWith('*'));
  return isBare && !doubtful && !specifier.includes('\\') ? command.words : null;
}

/** A trailing `*` matches any further words, any other `*` any characters within one word. */
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

/** A rule against curl also applies to `/usr/bin/curl`. */
function withName(command: SimpleCommand): Word[] {
  const [first, ...rest] = command.words;
  return first === undefined ? [] : [{ ...first, text: programOf(command) }, ...rest];
}
