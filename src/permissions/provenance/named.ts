import path from 'node:path';
import type { Access } from '../../contract/permission.ts';
import type { TextSource } from '../../contract/provenance.ts';
import { isObject } from '../../lib/text/json.ts';
import { secretBecause } from '../rules/secret-names.ts';
import { parseLine } from '../shell/parse.ts';
import { type Reached, reach } from '../shell/reach.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';
import { pathSources, pathsInCommand, type SourcePlace } from './paths.ts';

export type NamingCall = { tool: string; access: Access; input: unknown };

const SECRET: TextSource = { kind: 'secret', name: 'secrets' };

/** The files that a call names, as far as they are not just files of the project: it may read and send them at once. */
export function namedBy({ tool, access, input }: NamingCall, place: SourcePlace): TextSource[] {
  if (access.kind !== 'execute') return [];
  return tool.includes(':') ? namedInInput(input, place) : namedInLine(access.target, place);
}

/** Files and folders that a command line names, and secrets by their usual names. */
export function namedInLine(line: string, place: SourcePlace): TextSource[] {
  const reached = reach(parseLine(line), place);
  const secrets = reached.some(namesSecret) ? [SECRET] : [];
  return [
    ...secrets,
    ...pathsInCommand(line, place),
    ...foldersOf(reached, place),
    ...copiedBy(reached, place),
  ];
}

/** Also what git adds although it is ignored. Words that are only printed name no file. */
function namesSecret({ command }: Reached): boolean {
  const program = programOf(command);
  const words = argsOf(command).map(({ text }) => text);
  if (program === 'git' && words[0] === 'add' && words.some((word) => /^(-[a-zA-Z]*f|--force$)/.test(word)))
    return true;
  if (program === 'echo' || program === 'printf') return false;
  return words.some((word) => secretBecause(word.replace(/^@|^[\w-]+=@?|^--[\w-]+=@?/, '')) !== null);
}

/** Programs whose bare words name files that they read, copy or move. */
const TAKES_FILES = /^(cat|cp|mv|ln|install|rsync|tar|zip|head|tail|less|grep|rg|sed|awk|nl)$/;

/** What a command copies, moves or reads by a bare name: the text stays foreign under its new one. */
function copiedBy(reached: readonly Reached[], place: SourcePlace): TextSource[] {
  return reached.flatMap(({ command, cwd }) => {
    if (!TAKES_FILES.test(programOf(command))) return [];
    const folder = cwd.replace(/^~(?=\/|$)/, () => place.home);
    return argsOf(command).flatMap(({ text }) => {
      const file = path.resolve(folder, text);
      if (text.startsWith('-') || text.includes('/') || !place.exists(file)) return [];
      return [...pathSources(file, place), ...pathSources(path.join(file, '*'), place)].filter(
        ({ kind }) => kind === 'foreign',
      );
    });
  });
}

/** A command that runs in another folder may read whatever is there. */
function foldersOf(reached: readonly Reached[], place: SourcePlace): TextSource[] {
  const elsewhere = new Set(reached.map(({ cwd }) => cwd.replace(/^~(?=\/|$)/, () => place.home)));
  elsewhere.delete(place.cwd);
  return [...elsewhere].flatMap((folder) => {
    return place.exists(folder) ? pathSources(path.join(folder, '*'), place) : [];
  });
}

function namedInInput(input: unknown, place: SourcePlace): TextSource[] {
  if (typeof input === 'string') {
    const written = input.replace(/^file:\/\//, '').replace(/^~(?=\/|$)/, () => place.home);
    const file = path.resolve(place.cwd, written);
    if (written === '' || !place.exists(file)) return [];
    return [...pathSources(file, place), ...(secretBecause(file) === null ? [] : [SECRET])];
  }
  const values = Array.isArray(input) ? input : isObject(input) ? Object.values(input) : [];
  return values.flatMap((value) => namedInInput(value, place));
}
