import { withoutDocuments } from './documents.ts';
import { type Doubt, isLossy } from './doubts.ts';
import { readSyntax } from './grammar.ts';
import { type HereDocument, type Quotes, quotesOf } from './quotes.ts';
import type { ShellLine, SimpleCommand } from './shell-line.ts';
import { readStatements } from './statements.ts';
import { expandBraces } from './word.ts';

const MAX_LENGTH = 20_000;
/** With the here-documents, which hold files. */
const MAX_WITH_DOCUMENTS = 1_000_000;
const MAX_DEPTH = 8;
const MAX_COMMANDS = 500;
const MAX_FRAGMENTS = 300;
/**
 * Look like white space but are letters to the shell, or the other way round; and bidirectional control
 * characters.
 */
const DECEIVING =
  /[\u0080-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]/g;
const UNPRINTABLE = /[^\P{Cc}\n\t]/gu;
const CONTINUATION = /(?<!\\)((?:\\\\)*)\\\n/g;

/** How much may still be parsed, in characters and texts: a hostile line must not take long. */
export type Budget = { characters: number; texts: number };

export function newBudget(): Budget {
  return { characters: 4 * MAX_LENGTH, texts: 300 };
}

/** The latest lines: judging, scheduling and running a command each parse the same one. */
const latest = new Map<string, ShellLine>();
const MAX_LATEST = 64;

/** A line as the shell grammar parses it. Never throws once the grammar is loaded. */
export function parseLine(text: string, budget?: Budget): ShellLine {
  if (budget) return parseWithin(text, budget);
  const known = latest.get(text);
  if (known) return known;
  const line = parseWithin(text, newBudget());
  if (latest.size === MAX_LATEST) latest.clear();
  latest.set(text, line);
  return line;
}

function parseWithin(text: string, budget: Budget): ShellLine {
  const doubt = sizeDoubt(text) && sizeDoubt(codeOf(text));
  return salvage(doubt === null ? readLine(text, 0, budget) : unread(doubt), text, budget);
}

function sizeDoubt(text: string): Doubt | null {
  if (text.length > MAX_LENGTH) return 'too_long';
  const operators = text.match(/[|&;\n]/g)?.length ?? 0;
  return operators > 2 * MAX_COMMANDS ? 'too_many_commands' : null;
}

/** The text without its plain here-documents. */
function codeOf(text: string): string {
  if (text.length > MAX_WITH_DOCUMENTS) return text;
  const documents = quotesOf(text)?.documents ?? [];
  return documents.reduceRight((left, { bodyAt, end }) => left.slice(0, bodyAt) + left.slice(end), text);
}

function readLine(text: string, depth: number, budget: Budget): ShellLine {
  if (depth > MAX_DEPTH) return unread('too_deep');
  const quotes = quotesOf(text);
  const bare = withoutDocuments(text, quotes);
  const { joined, cuts, doubt } = joinLines(bare.text, quotes);
  const line = readOnce(joined, { depth, budget, documents: bare.documents });
  for (const command of line.commands) restoreSpan(command, cuts);
  const doubts = [...line.doubts, ...lookCloser(text), ...(doubt === null ? [] : [doubt])];
  // If it is unclear how the lines are joined, both readings count.
  const others = [
    ...(doubt === null ? [] : [readOnce(text, { depth, budget })]),
    ...behindNegation(line, joined, { depth, budget, documents: bare.documents }),
  ];
  const commands = [...line.commands, ...others.flatMap((other) => other.commands)];
  const functions = [...line.functions, ...others.flatMap((other) => other.functions)];
  const endless = [...line.endless, ...others.flatMap((other) => other.endless)];
  if (commands.length > MAX_COMMANDS) doubts.push('too_many_commands');
  return { doubts: [...new Set(doubts)], commands: commands.slice(0, MAX_COMMANDS), functions, endless };
}

/**
 * The grammar supports `!` before a simple command only; before a group or a loop it loses their contents.
 */
function behindNegation(line: ShellLine, text: string, at: Reading): ShellLine[] {
  const negation = /(?<=^|[\s;&|(){}])!(?=\s)/g;
  if (line.doubts.length === 0 || text.search(negation) === -1) return [];
  return [readOnce(text.replaceAll(negation, ' '), at)];
}

function unread(doubt: Doubt): ShellLine {
  return { commands: [], doubts: [doubt], functions: [], endless: [] };
}

type Reading = { depth: number; budget: Budget; documents?: readonly HereDocument[] };

function readOnce(text: string, { depth, budget, documents = [] }: Reading): ShellLine {
  budget.texts -= 1;
  budget.characters -= documents.reduce((left, { body }) => left - body.length, text.length);
  if (budget.texts < 0 || budget.characters < 0) return unread('too_long');
  const root = readSyntax(text);
  if (root === null) return unread('too_deep');
  return readStatements(root, { text, documents, inner: (script) => readLine(script, depth + 1, budget) });
}

/** Its place in the text before lines were joined at `cuts`. */
function restoreSpan(command: SimpleCommand, cuts: readonly number[]): void {
  if (!command.span || cuts.length === 0) return;
  const original = (at: number) => at + 2 * cuts.filter((cut, i) => cut - 2 * i <= at).length;
  const { start, end } = command.span;
  command.span = { start: original(start), end: original(end - 1) + 1 };
}

/**
 * The shell joins lines that end in a backslash before it splits words; not in single quotes. `cuts` are the places of
 * the backslashes.
 */
function joinLines(
  text: string,
  quotes: Quotes | null,
): { joined: string; cuts: readonly number[]; doubt: Doubt | null } {
  if (!text.includes('\\\n')) return { joined: text, cuts: [], doubt: null };
  const all = [...text.matchAll(CONTINUATION)].map(({ index, 1: kept = '' }) => index + kept.length);
  const cuts = quotes === null ? all : all.filter((at) => /[\\"]/.test(quotes.marks[at] ?? ''));
  const betweenWords = cuts.every((at) => quotes?.marks[at] === '"' || /(^|[ \t])$/.test(text.slice(0, at)));
  const isClear = quotes === null ? !/['#]|<</.test(text) : !/#/.test(quotes.marks);
  let joined = text;
  for (const at of cuts.toReversed()) joined = joined.slice(0, at) + joined.slice(at + 2);
  return { joined, cuts, doubt: betweenWords && isClear ? null : 'split_word' };
}

/** Constructs that shells, and the grammar, are known to parse differently. */
function lookCloser(text: string): Doubt[] {
  const doubts: Doubt[] = [];
  if (text.search(UNPRINTABLE) !== -1) doubts.push('control_characters');
  if (text.search(DECEIVING) !== -1) doubts.push('deceiving_characters');
  return doubts;
}

/**
 * The commands that an unparseable text seems to contain, so that a forbidden one is still found. Skips
 * quoted texts and here-documents, whose contents do not run.
 */
function salvage(line: ShellLine, text: string, budget: Budget): ShellLine {
  if (!isLost(line)) return line;
  const bare = withoutHeredocs(text)
    .slice(0, MAX_LENGTH)
    .replaceAll(/\$IFS|\$\{IFS\}/g, ' ')
    .replaceAll(/'([^']*)'|"([^"$`]*)"/g, (_, single?: string, double?: string) => {
      const inside = single ?? double ?? '';
      return /[\s;&|<>()$`]/.test(inside) ? 'Q' : inside;
    });
  const split = bare
    .split(/[;&|\n\r()`"']+|(?<=^|\s)[{}](?=\s|$)/)
    .filter((fragment) => fragment.trim() !== '');
  const fragments = [...new Set(split)];
  const found = fragments.slice(0, MAX_FRAGMENTS).flatMap((fragment) => {
    const visible = fragment.replaceAll(UNPRINTABLE, ' ').replaceAll(DECEIVING, ' ');
    // The grammar parses a leading brace as a group.
    const inner = visible.replace(/^\s*((!|\{|if|then|elif|else|while|until|do|time)\s+)+/, '');
    const plain = inner.replace(/^\s*\{[^{}\s]*,[^{}\s]*\}\S*/, (word) => expandBraces(word).join(' '));
    return readOnce(plain, { depth: MAX_DEPTH, budget }).commands.map(({ span: _, ...command }) => command);
  });
  return {
    ...line,
    commands: [...line.commands, ...found].slice(0, 2 * MAX_COMMANDS),
    doubts: fragments.length > MAX_FRAGMENTS ? [...line.doubts, 'too_many_commands'] : line.doubts,
  };
}

/** Whether part of it, or of its substitutions, could not be parsed. */
function isLost({ doubts, commands }: ShellLine): boolean {
  return doubts.some(isLossy) || commands.some(({ nested }) => nested.some(isLost));
}

/** Substitutions in a here-document with an unquoted delimiter are kept. */
function withoutHeredocs(text: string): string {
  const document = /<<-?[ \t]*(['"]?)(\w+)\1([^\n]*)\n([\s\S]*?)(\n[ \t]*\2(?=\n|$)|$)/;
  let left = text;
  for (let round = 0; round < 4; round++) {
    left = left.replace(document, (_, quote: string, _end: string, rest: string, body: string) => {
      const run = quote === '' ? (body.match(/\$\([^)]*\)|`[^`]*`/g) ?? []) : [];
      return [rest, ...run].join('\n');
    });
  }
  return left.replaceAll(/<<-?\s*\S*/g, '');
}
