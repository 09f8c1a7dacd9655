import path from 'node:path';
import { readOnlyPrograms } from '../rules/read-only.ts';
import { readOnlyGit } from '../rules/read-only-git.ts';
import type { ReadOnlyProgram } from '../rules/read-only-program.ts';
import { searchesFolders } from '../rules/searches.ts';
import { readOptions } from './options.ts';
import type { Reached } from './reach.ts';
import type { SimpleCommand, Word } from './shell-line.ts';
import { argsOf, programOf } from './wrappers.ts';

/**
 * What a line names, whatever it does with it, as absolute paths: `files`, the folders it would search through, and
 * the patterns in it with the folders they start in.
 */
export type NamedPaths = { files: string[]; searched: string[]; globs: { folder: string; match: RegExp }[] };

type Disk = { home?: string; kindOf?(file: string): 'file' | 'folder' | null };

export function namedPaths(reached: readonly Reached[], disk: Disk): NamedPaths {
  const found: NamedPaths = { files: [], searched: [], globs: [] };
  for (const { command, cwd: written } of reached) {
    const cwd = written.replace(/^~(?=\/|$)/, () => disk.home ?? '/');
    const words = wordsFor(command, (file) => disk.kindOf?.(path.resolve(cwd, file)) !== null);
    for (const word of words) {
      if (word.glob) found.globs.push(globOf(word, cwd));
      else found.files.push(...readings(word).map((text) => absolute(text, cwd, disk)));
    }
    if (!searchesFolders(command)) continue;
    const named = words.flatMap((word) => readings(word).map((text) => absolute(text, cwd, disk)));
    const folders = named.filter((file) => disk.kindOf?.(file) === 'folder');
    const isNamed = folders.length > 0 || named.some((file) => disk.kindOf?.(file) === 'file');
    found.searched.push(...(isNamed ? folders : [cwd]));
  }
  return found;
}

/** The words that may be paths. Without a table of the program, a bare word counts if something has that name. */
function wordsFor(command: SimpleCommand, exists: (file: string) => boolean): Word[] {
  const inputs = command.redirects.filter(({ op }) => op === '<').map(({ target }) => target);
  const [first, ...rest] = argsOf(command);
  const sub = programOf(command) === 'git' && first ? own(readOnlyGit, first.text) : undefined;
  const program = sub ?? own(readOnlyPrograms, programOf(command));
  const args = sub === undefined ? argsOf(command) : rest;
  const told = program && readOptions(args, program, () => false);
  if (program !== undefined && told !== undefined && !('unknown' in told)) {
    const isBrought = told.flags.some((flag) => program.patternBy?.includes(flag));
    const values = told.values.filter(({ kind }) => kind === 'path').map(({ word }) => word);
    return [...operandsOf(program, told.operands, isBrought), ...values, ...inputs];
  }
  if (program?.operands === 'text') return inputs;
  const isMessage = (i: number) =>
    programOf(command) === 'git' && /^(-\w*m|--message)$/.test(args[i - 1]?.text ?? '');
  const words = args.flatMap((word, i): Word[] => {
    if (isMessage(i)) return [];
    const text = word.text.replace(/^-{1,2}[\w-]*=?(?=.)|^[\w-]+=/, '').replace(/^@/, '');
    return [word, ...(text === word.text || text === '' ? [] : [{ ...word, text }])];
  });
  return [...words.filter(({ text, glob }) => glob || /[/.]/.test(text) || exists(text)), ...inputs];
}

function operandsOf({ operands }: ReadOnlyProgram, words: Word[], isBrought: boolean): Word[] {
  switch (operands) {
    case 'text':
      return words.filter(({ glob }) => glob);
    case 'none':
      return [];
    case 'pattern':
      return words.slice(isBrought ? 0 : 1);
    case 'names':
    case 'paths':
      return words;
    default:
      return operands satisfies never;
  }
}

/** `HEAD:src/a.ts` also names src/a.ts. */
function readings({ text }: Word): string[] {
  return text === '' || text.includes('\n')
    ? []
    : [...new Set([text, text.slice(text.lastIndexOf(':') + 1)])];
}

function absolute(text: string, cwd: string, { home }: Disk): string {
  return path.resolve(
    cwd,
    text.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home ?? '~'),
  );
}

function globOf({ text }: Word, cwd: string): { folder: string; match: RegExp } {
  const at = text.search(/[*?[]/);
  const folder = path.resolve(cwd, text.slice(0, text.lastIndexOf('/', at) + 1));
  const source = path
    .resolve(cwd, text)
    .replaceAll(/[\\^$.+(){}|]/g, '\\$&')
    .replaceAll(/\*+/g, '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('[!', '[^');
  // A pattern that is no regular expression matches everything below its folder.
  const isValid = !/\[[^\]]*$/.test(source);
  return { folder, match: new RegExp(isValid ? `^${source}(/|$)` : '') };
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
