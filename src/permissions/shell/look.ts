import path from 'node:path';
import { doing, settingBecause, shown, unknownOption, withoutWalls } from '../rules/effects.ts';
import { readOnlyPrograms } from '../rules/read-only.ts';
import { readOnlyGit } from '../rules/read-only-git.ts';
import { projectScripts, readOnlyLines } from '../rules/read-only-lines.ts';
import type { ReadOnlyProgram, Told as ToldTexts } from '../rules/read-only-program.ts';
import { secretBecause } from '../rules/secret-names.ts';
import { isRevision, smallGrammar } from '../rules/small-grammar.ts';
import { doubtText } from './doubts.ts';
import { type Look, looks, together, unsure } from './look-result.ts';
import { judgeTest } from './look-test.ts';
import { namedPaths } from './named-paths.ts';
import { readOptions, type Told } from './options.ts';
import { parseLine } from './parse.ts';
import { isPrintable } from './printable.ts';
import { SHELLS } from './reach.ts';
import { behindSafeWrapper } from './safe-wrappers.ts';
import type { Redirect, ShellLine, SimpleCommand, Word } from './shell-line.ts';
import { unrolled } from './unroll.ts';

/** Where a command runs, and what it may read there. */
export type Place = {
  cwd: string;
  trusted: boolean;
  home?: string;
  /** Whether a path really is in a folder that the user opened. */
  isInside(file: string): boolean;
  /** Whether the file there is not protected, whatever leads to it. */
  mayRead?(file: string): boolean;
  /**
   * The file that a command's name would run in a folder, if a command or another user could have put it
   * there; or null.
   */
  plantedProgram?(name: string, folder: string): string | null;
  /** Why git would run programs configured by the repository around a folder, or null. */
  gitRuns?(folder: string): string | null;
  /** Absent: nothing is known about the files. */
  disk?: Disk;
  /**
   * What stands behind a verdict: a sandbox that hides from commands what may not be read and lets none of them write
   * that only reads, or nothing. Absent: that is not known, and the verdict alone counts.
   */
  walls?: 'sandbox' | 'none';
  /** The shell that runs it; default: bash. */
  shell?: string;
};

/** What the judge looks up in folders and files. */
export type Disk = {
  kindOf(file: string): 'file' | 'folder' | null;
  /** Whether a folder holds a file whose name starts with a dash. */
  hasOptionNames(folder: string): boolean;
  /** `complete` is false if there are too many. */
  filesBelow(folder: string): { files: readonly string[]; complete: boolean };
  /** The script of that name in a folder's `package.json`, or null. */
  scriptOf(folder: string, name: string): string | null;
  /** Whether a file holds a private key, whatever its name. */
  holdsKey(file: string): boolean;
};

/** Shell builtins, unless another program runs them. */
const BUILTINS = new Set([
  ...[':', 'break', 'builtin', 'cd', 'command', 'continue', 'echo', 'exit', 'false', 'printf', 'pwd', 'read'],
  ...['set', 'test', 'true', 'type'],
]);
const MAX_PATH = 4096;
const MAX_DEPTH = 6;
const MAX_OPERANDS = 300;
const NO_LINE: ShellLine = { commands: [], doubts: [], functions: [], endless: [] };

/** A line is read-only if it is understood and every command of it is read-only. */
export function joinLooks(line: ShellLine, lookOf: (command: SimpleCommand) => Look): Look {
  const [doubt] = line.doubts;
  if (doubt !== undefined) return unsure(doubtText(doubt));
  if (line.commands.length === 0) return unsure('contains no command');
  return together(line.commands.map(lookOf));
}

function judgeLine(line: ShellLine, place: Place, depth: number): Look {
  return joinLooks(line, (command) => judgeLook(command, place, depth));
}

/** Whether a command, with all its substitutions, certainly only reads permitted files. */
export function judgeLook(command: SimpleCommand, place: Place, depth = 0): Look {
  if (depth > MAX_DEPTH) return unsure(doubtText('too_deep'));
  if (command.next === '&') return unsure(`leaves ${shown(command.source)} running in the background`);
  if (command.assignments.length > 0) return unsure(settingBecause(command, place));
  const inner = together(command.nested.map((line) => judgeLine(line, place, depth + 1)));
  if (inner.type === 'unsure') return inner;
  if (!command.folder.sure) return unsure('unclear which folder it runs in');
  const own = command.folder.ways.map((way) => judgeThere(command, { way, place, depth }));
  return together([inner, ...own]);
}

/** In one of the folders it may run in. */
function judgeThere(
  command: SimpleCommand,
  { way, place, depth }: { way: Word[]; place: Place; depth: number },
): Look {
  const { cwd, closed } = follow(way, place);
  if (closed !== null) return unsure(closed);
  const there = { ...place, cwd };
  const inputs: Word[] = [];
  for (const redirect of command.redirects) {
    if (readsFile(redirect)) inputs.push(redirect.target);
    else if (!isHarmless(redirect) && !isText(redirect, command)) {
      return unsure(`writes to ${redirect.target.raw}`);
    }
  }
  const fed = namePaths(inputs, there, { content: true });
  if (fed.type === 'unsure') return fed;
  const standing = { place: there, moved: cwd !== path.resolve(place.cwd), root: place.cwd, depth };
  return together([fed, ...unrolled(command).map((one) => judgeWords(one, standing))]);
}

function follow(way: Word[], place: Place): { cwd: string; closed: string | null } {
  let cwd = place.cwd;
  for (const move of way) {
    const closed =
      move.glob || /^-/.test(move.text)
        ? 'changes the working directory'
        : whyClosed(move, { ...place, cwd }, { content: false });
    if (closed !== null) return { cwd, closed };
    cwd = path.resolve(cwd, move.text);
  }
  return { cwd, closed: null };
}

/** `started`: run by a program, not the shell. */
type Standing = { place: Place; moved: boolean; root: string; depth: number; started?: boolean };

function judgeWords(command: SimpleCommand, standing: Standing): Look {
  const { place, moved } = standing;
  const [first, ...args] = command.words;
  if (first === undefined) return unsure('contains no command');
  if (!first.literal || first.glob) return unsure(doubtText('computed_name'));
  const isBuiltin = BUILTINS.has(first.text) && !standing.started;
  const planted = isBuiltin ? null : place.plantedProgram?.(first.text, place.cwd);
  if (planted) return unsure(`${first.text} would run ${planted}, which commands or other users can modify`);
  const line = command.words.every(({ literal, glob }) => literal && !glob)
    ? command.words.map(({ text }) => text).join(' ')
    : '';
  if (readOnlyLines.includes(line)) return first.text === 'git' ? judgeRepository(standing) : looks();
  if (projectScripts.includes(line)) {
    if (moved && !isPackage(place, standing.root)) return unsure(`runs ${line} in another folder`);
    return place.trusted
      ? { type: 'only_looks', reads: [], runsScript: true }
      : unsure(`${line} runs project code, and this folder is not trusted`);
  }
  const wrapped = behindSafeWrapper(command, { hidesFiles: place.walls === 'sandbox' });
  if (place.walls === 'none' && (SHELLS.has(first.text) || wrapped !== null))
    return unsure(doing(command, place, withoutWalls(first.text)));
  if (wrapped?.type === 'unsure') return wrapped;
  if (wrapped !== null) {
    if (standing.depth > MAX_DEPTH) return unsure(doubtText('too_deep'));
    return judgeWords(wrapped.command, { ...standing, depth: standing.depth + 1, started: !isBuiltin });
  }
  switch (first.text) {
    case 'cd':
      return judgeMove(args, place);
    case 'test':
      return judgeTest(args, command, (words) => namePaths(words, place, { content: false }));
    case 'sh':
    case 'bash':
      return judgeShell(command, args, standing);
    case 'git':
      return together([judgeRepository(standing), judgeGit(args, command, place)]);
    default: {
      const program = own(readOnlyPrograms, first.text);
      if (program === undefined)
        return unsure(doing(command, place, `runs ${first.text || 'a program'}, which aca does not know`));
      return judgeArgs(args, { name: first.text, program, place, command });
    }
  }
}

/** Whether a folder belongs to the project around it: no clone in it, no package of others. */
function isPackage({ cwd, disk }: Place, root: string): boolean {
  const inside = path.relative(root, cwd);
  if (disk === undefined || inside.startsWith('..') || path.isAbsolute(inside)) return false;
  const parts = inside.split(path.sep);
  if (parts.some((name) => /^(node_modules|vendor|third_party|\..*)$/.test(name))) return false;
  const folders = parts.map((_, i) => path.join(root, ...parts.slice(0, i + 1)));
  return folders.every((folder) => disk.kindOf(path.join(folder, '.git')) === null);
}

function judgeMove(args: Word[], place: Place): Look {
  const [target, ...extra] = args;
  if (target === undefined || extra.length > 0) return unsure('changes the working directory');
  const { cwd, closed } = follow([target], place);
  return closed === null ? looks([cwd]) : unsure(closed);
}

/** `bash -c 'ls'`: the inner line is judged like any other. */
function judgeShell(command: SimpleCommand, args: Word[], { place, depth }: Standing): Look {
  const [flag, script, ...extra] = args;
  // Not every sh reads $'…' as one word.
  const plain = script?.literal === true && !script.text.includes("$'");
  if (flag?.text !== '-c' || !plain || extra.length > 0) return unsure(doing(command, place, 'runs a shell'));
  return judgeLine(parseLine(script.text), place, depth + 1);
}

/** Git follows the configuration of the repository it runs in. */
function judgeRepository({ place, moved }: Standing): Look {
  if (place.trusted && !moved) return looks();
  if (place.gitRuns === undefined) return moved ? unsure('runs git in another folder') : looks();
  const because = place.gitRuns(place.cwd);
  return because === null ? looks() : unsure(because);
}

function judgeGit(args: Word[], command: SimpleCommand, place: Place): Look {
  const rest = args[0]?.text === '--no-pager' ? args.slice(1) : args;
  const [sub, ...more] = rest;
  const program = sub?.literal ? own(readOnlyGit, sub.text) : undefined;
  if (sub === undefined || program === undefined)
    return unsure(doing(command, place, `runs git${sub ? ` ${sub.raw}` : ''}, which aca does not know`));
  return judgeArgs(more, { name: `git ${sub.text}`, program, place, command });
}

type Judging = { name: string; program: ReadOnlyProgram; place: Place; command: SimpleCommand };

function judgeArgs(args: Word[], { name, program: usual, place, command }: Judging): Look {
  const program = place.walls === 'none' ? smallGrammar(name, usual) : usual;
  if (program === null) return unsure(doing(command, place, withoutWalls(name)));
  const told = readOptions(args, program, () => place.disk?.hasOptionNames(place.cwd) ?? true);
  if ('unknown' in told) {
    return /^[*?[]/.test(told.unknown)
      ? unsure(`the pattern ${told.unknown} can expand to an option`)
      : unsure(doing(command, place, unknownOption(name, told.unknown, place)));
  }
  const { flags, values, operands } = told;
  if (operands.length > MAX_OPERANDS) return unsure(`${name} has too many arguments to check`);
  const odd = operands.find(
    (word, i) =>
      !word.literal &&
      !isStream(word) &&
      !(program.expands && i + 1 > firstPrinted(name) && isPrintable(word, command)),
  );
  if (odd !== undefined) return unsure(`${odd.raw.slice(0, 60)} can expand to anything`);
  if (operands.length > (program.maxOperands ?? Number.POSITIVE_INFINITY)) {
    return unsure(`${name} may write to its last argument`);
  }
  const texts = { flags, values: valuesByFlag(values), operands: operands.map(({ text }) => text) };
  const refused = program.refuses?.(texts) ?? searchBecause(texts, { name, program, place, command });
  if (refused !== null) return unsure(refused);
  const named = values.filter(({ kind }) => kind === 'path').map(({ word }) => word);
  const revisions = name.startsWith('git ');
  switch (program.operands) {
    case 'text':
      // A glob prints the names it matches.
      return namePaths([...operands.filter(({ glob }) => glob), ...named], place, { content: false });
    case 'none': {
      const isListing = flags.some((flag) => program.listedBy?.includes(flag));
      const extra = isListing ? undefined : operands.find(({ text }) => !text.startsWith('+'));
      return extra ? unsure(doing(command, place, `${name} ${extra.text} may make changes`)) : looks();
    }
    case 'names':
      return namePaths([...operands, ...named], place, { content: false, revisions });
    case 'paths':
      return namePaths([...operands, ...named], place, { content: true, revisions });
    case 'pattern': {
      const isBrought = flags.some((flag) => program.patternBy?.includes(flag));
      return namePaths([...operands.slice(isBrought ? 0 : 1), ...named], place, { content: true });
    }
    default:
      program.operands satisfies never;
      return unsure(doubtText('unparsed'));
  }
}

/** Why a search would read files that it must not; nothing, where the sandbox hides them. */
function searchBecause(told: ToldTexts, { name, program, place, command }: Judging): string | null {
  const { walls, cwd, disk } = place;
  if (walls === 'sandbox') return null;
  const isFolder = (file: string) =>
    /^\.?$|\/$/.test(file) || disk?.kindOf(path.resolve(cwd, file)) === 'folder';
  const folders = told.operands.filter(isFolder);
  if ((name === 'diff' && folders.length > 0) || (name === 'git diff' && folders.length > 1))
    return `${name} would read every file of ${folders.join(' and ')}, hidden ones included`;
  if (walls === undefined || disk === undefined) return program.searches?.(told) ?? null;
  const reached = [{ command, written: command, cwd, start: cwd, home: null, line: NO_LINE }];
  for (const folder of namedPaths(reached, { ...place, ...disk }).searched) {
    const { files, complete } = disk.filesBelow(folder);
    const closed = files.find((file) => secretBecause(file) !== null || place.mayRead?.(file) === false);
    if (closed !== undefined) return `${name} would also read ${path.relative(cwd, closed)}`;
    if (!complete) return `${name} would search more files than can be checked`;
  }
  return null;
}

function valuesByFlag(values: Told['values']): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { flag, word } of values) found[flag] = [...(found[flag] ?? []), word.text];
  return found;
}

/** The format of printf could turn into a flag, so it must be literal. */
function firstPrinted(name: string): number {
  return name === 'printf' ? 1 : 0;
}

function namePaths(words: Word[], place: Place, use: { content: boolean; revisions?: boolean }): Look {
  const reads: string[] = [];
  for (const word of words) {
    if (isStream(word)) continue;
    const because = whyClosed(word, place, use) ?? whyUnknown(word, place, use);
    if (because !== null) return unsure(because);
    // `HEAD:src/a.ts` also names src/a.ts.
    const named = new Set([word.text, word.text.slice(word.text.lastIndexOf(':') + 1)]);
    for (const text of named) reads.push(path.resolve(place.cwd, text));
  }
  return looks(reads);
}

/** Where nothing stands behind the verdict, an operand is a file that is there. */
function whyUnknown(
  { text, glob }: Word,
  { walls, disk, cwd }: Place,
  use: { revisions?: boolean },
): string | null {
  if (walls !== 'none' || text === '-' || text === '/dev/null') return null;
  if (glob) return `the pattern ${text} may match anything`;
  if (use.revisions && isRevision(text)) return null;
  return disk?.kindOf(path.resolve(cwd, text)) ? null : `there is no file ${text}`;
}

/** `<(ls)`: the output of a command that is judged separately. */
function isStream({ raw, nested, variables }: Word): boolean {
  return /^<\([^()]*\)$/.test(raw) && nested.length === 1 && variables.length === 0;
}

/** A glob may expand to a link that leads anywhere, so it must not choose what is printed. */
function whyClosed(
  { text, raw, literal, glob }: Word,
  place: Place,
  use: { content: boolean },
): string | null {
  if (!literal) return `${raw.slice(0, 60)} can expand to any path`;
  if (text === '-' || text === '/dev/null' || text === '') return null;
  if (text.length > MAX_PATH) return 'a path is too long';
  const segments = text.split(/[/\\]/);
  const secret = secretBecause(text);
  if (secret !== null) return `${text}: ${secret}`;
  if (use.content && glob) return `the pattern ${text} may match anything`;
  if (use.content && segments.includes('.git')) return `${text} may contain credentials`;
  if (glob && segments.includes('..')) return `${text} may point anywhere`;
  const base = glob ? text.slice(0, text.search(/[*?[]/)) : text;
  // `HEAD:src/a.ts` also names src/a.ts.
  const named = [base, base.slice(base.lastIndexOf(':') + 1)];
  const places = named.map((one) => path.resolve(place.cwd, one));
  const asWritten = segments.includes('..')
    ? named.map((one) => (path.isAbsolute(one) ? one : `${place.cwd}/${one}`))
    : [];
  if (![...places, ...asWritten].every((one) => place.isInside(one)))
    return `${text} is outside the working directory`;
  if (use.content && places.some((one) => place.mayRead?.(one) === false))
    return `${text} is a protected file`;
  if (use.content && places.some((one) => place.disk?.holdsKey(one))) return `${text} holds a private key`;
  const hidden = places.map(secretBecause).find((because) => because !== null);
  return hidden === undefined ? null : `${text}: ${hidden}`;
}

function readsFile({ op, fd }: Redirect): boolean {
  return op === '<' && (fd === '' || fd === '0');
}

/** Discards output, or joins it to a stream that is read anyway. */
export function isHarmless({ op, target }: Redirect): boolean {
  if (/^[<>]&$/.test(op)) return /^[012]$/.test(target.text) && target.literal;
  return /^(>|>>|&>|&>>)$/.test(op) && /^\/dev\/(null|stdout|stderr)$/.test(target.text) && target.literal;
}

/** A text in the line itself that is passed to the command. */
function isText({ op, target, fd }: Redirect, command: SimpleCommand): boolean {
  return fd === '' && /^<<[<-]?$/.test(op) && (target.literal || isPrintable(target, command));
}

/** `constructor` is not a program. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
