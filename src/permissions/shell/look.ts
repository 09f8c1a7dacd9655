import path from 'node:path';
import { projectScripts, type ReadOnlyProgram, readOnlyLines, readOnlyPrograms } from '../rules/read-only.ts';
import { readOnlyGit } from '../rules/read-only-git.ts';
import { secretBecause } from '../rules/secret-names.ts';
import type { SimpleCommand } from './parse.ts';
import type { Redirect } from './tokenize.ts';
import type { Word } from './words.ts';

/** Where a command runs, and what it may look at there. */
export type Place = { cwd: string; trusted: boolean; isInside(file: string): boolean };

/** `reads` are the absolute paths it names. */
export type Look = { type: 'only_looks'; reads: string[] } | { type: 'unsure'; because: string };

const MAX_PATH = 4096;

const unsure = (because: string): Look => ({ type: 'unsure', because });

/** Whether a command surely does nothing but look at files in reach. */
export function judgeLook(command: SimpleCommand, place: Place): Look {
  const line = command.words.map(({ text }) => text).join(' ');
  if (command.assignments.length > 0) return unsure('it sets environment variables');
  const inputs: Word[] = [];
  for (const redirect of command.redirects) {
    if (readsFile(redirect)) inputs.push(redirect.target);
    else if (!isHarmless(redirect)) return unsure(`it redirects to ${redirect.target.text}`);
  }
  const fed = namePaths(inputs, place, { content: true });
  if (fed.type === 'unsure') return fed;
  if (readOnlyLines.includes(line)) return fed;
  if (projectScripts.includes(line)) {
    return place.trusted ? fed : unsure(`${line} runs the project's own code, and the folder is not trusted`);
  }
  const looked = judgeProgram(command, place);
  return looked.type === 'unsure' ? looked : { type: 'only_looks', reads: [...fed.reads, ...looked.reads] };
}

function judgeProgram({ name, words }: SimpleCommand, place: Place): Look {
  const [, ...args] = words;
  if (name === 'git') {
    const rest = args[0]?.text === '--no-pager' ? args.slice(1) : args;
    const [sub, ...more] = rest;
    const program = sub === undefined ? undefined : own(readOnlyGit, sub.text);
    if (program === undefined)
      return unsure(`git ${sub?.text ?? ''} may change something`.replace('  ', ' '));
    return judgeArgs(`git ${sub?.text}`, more, { program, place });
  }
  if (name === 'sed') return judgeSed(args, place);
  const program = own(readOnlyPrograms, name);
  if (program === undefined) return unsure(`${name || 'it'} is not known to be read-only`);
  return judgeArgs(name, args, { program, place });
}

function judgeArgs(
  name: string,
  args: Word[],
  { program, place }: { program: ReadOnlyProgram; place: Place },
): Look {
  const dashes = args.findIndex(({ text }) => text === '--');
  const isFlag = (word: Word, i: number) =>
    /^-./.test(word.text) && (dashes === -1 || i < dashes) && program.anyFlags === undefined;
  const flags = args.filter(isFlag);
  const bad = flags.find((flag) => !isKnownFlag(flag.text, program));
  if (bad !== undefined) return unsure(`${name} ${bad.text} is not known to be read-only`);

  const values = flags.flatMap((flag) => (flag.text.includes('=') ? [flagValue(flag)] : []));
  const operands = args.filter((word, i) => i !== dashes && !isFlag(word, i));
  if (operands.length > (program.maxOperands ?? Number.POSITIVE_INFINITY)) {
    return unsure(`${name} may write to its last operand`);
  }
  switch (program.operands) {
    case 'text':
      return { type: 'only_looks', reads: [] };
    case 'none': {
      const extra = operands.find(({ text }) => !text.startsWith('+'));
      return extra ? unsure(`${name} ${extra.text} may change something`) : { type: 'only_looks', reads: [] };
    }
    case 'names':
      return namePaths([...operands, ...values], place, { content: false });
    case 'paths':
      return namePaths([...operands, ...values], place, { content: true });
    case 'pattern': {
      const brought = flags.some(({ text }) => program.patternBy?.test(text));
      return namePaths([...operands.slice(brought ? 0 : 1), ...values], place, { content: true });
    }
    default:
      program.operands satisfies never;
      return unsure('it is not understood');
  }
}

function isKnownFlag(text: string, { short = '', long = [], dash = [], numbers }: ReadOnlyProgram): boolean {
  if (dash.includes(text)) return true;
  if (text.startsWith('--')) return long.includes(text.slice(2).replace(/=[\s\S]*$/, ''));
  return [...text.slice(1)].every((c) => short.includes(c) || (numbers === true && /[0-9,]/.test(c)));
}

function flagValue(flag: Word): Word {
  return { ...flag, text: flag.text.slice(flag.text.indexOf('=') + 1) };
}

/** Only `sed -n 1,5p`: other scripts can write files and run programs. */
function judgeSed([quiet, script, ...files]: Word[], place: Place): Look {
  const prints = quiet?.text === '-n' && /^\d+(,(\d+|\$))?p$/.test(script?.text ?? '');
  const plain = files.every(({ text }) => !text.startsWith('-'));
  return prints && plain ? namePaths(files, place, { content: true }) : unsure('this sed script may write');
}

function namePaths(words: Word[], place: Place, use: { content: boolean }): Look {
  const reads: string[] = [];
  for (const word of words) {
    const because = whyClosed(word, place, use);
    if (because !== null) return unsure(because);
    // `HEAD:src/a.ts` names src/a.ts as well.
    const named = new Set([word.text, word.text.slice(word.text.lastIndexOf(':') + 1)]);
    for (const text of named) reads.push(path.resolve(place.cwd, text));
  }
  return { type: 'only_looks', reads };
}

/** A pattern may expand to a link that leads anywhere, so it must not choose what is printed. */
function whyClosed({ text, glob }: Word, place: Place, use: { content: boolean }): string | null {
  if (text === '-' || text === '/dev/null' || text === '') return null;
  if (text.length > MAX_PATH) return 'a path is too long';
  const segments = text.split(/[/\\]/);
  if (segments.includes('..')) return `${text} leaves the folder`;
  const secret = secretBecause(text);
  if (secret !== null) return `${text}: ${secret}`;
  if (use.content && glob) return `the pattern ${text} may take in anything`;
  if (use.content && segments.includes('.git')) return `${text} may hold credentials`;
  const first = segments.findIndex((segment) => /[*?[]/.test(segment));
  const fixed = glob && first !== -1 ? segments.slice(0, first).join('/') : text;
  const target = path.resolve(place.cwd, fixed === '' && text.startsWith('/') ? '/' : fixed);
  return place.isInside(target) ? null : `${text} is outside the working directory`;
}

function readsFile({ op, fd }: Redirect): boolean {
  return op === '<' && (fd === '' || fd === '0');
}

/** Throws output away, or joins it to a stream that is read anyway. */
export function isHarmless({ op, target }: Redirect): boolean {
  if (/^[<>]&$/.test(op)) return /^[012]$/.test(target.text);
  return /^(>|>>|&>|&>>)$/.test(op) && target.text === '/dev/null';
}

/** `constructor` is no program. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
