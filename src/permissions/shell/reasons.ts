import path from 'node:path';
import { startOf } from '../../lib/text/cut-line.ts';
import { effectOf } from '../rules/effects.ts';
import type { SimpleCommand } from './shell-line.ts';

type Surroundings = {
  cwd: string;
  walls?: 'sandbox' | 'none';
  disk?: {
    kindOf(file: string): 'file' | 'folder' | null;
    scriptOf(folder: string, name: string): string | null;
  };
};

/** Of a word. */
const MAX_SHOWN = 60;

/** What a command does; `otherwise` where nothing is known about it. */
export function doing(command: SimpleCommand, { disk, cwd }: Surroundings, otherwise: string): string {
  const known = effectOf(command, {
    scriptOf: (name) => disk?.scriptOf(cwd, name) ?? null,
    isThere: (name) => Boolean(disk?.kindOf(path.resolve(cwd, name))),
  });
  return known ?? otherwise;
}

/** What a command does, and the variables that it does it with. */
export function settingBecause(command: SimpleCommand, place: Surroundings): string {
  const names = command.assignments.map(({ text }) => text.split(/\+?=|\[/)[0]).join(', ');
  const [first] = command.words;
  if (first === undefined) return `sets ${names}`;
  return `${doing(command, place, `runs ${brief(first.raw)}`)}, with ${names} set`;
}

export function withoutWalls(name: string): string {
  return `nothing keeps ${name} from changing files without a sandbox`;
}

export function unknownOption(name: string, option: string, { walls }: Surroundings): string {
  return walls === 'none'
    ? `without a sandbox, ${name} ${brief(option)} is not approved by itself`
    : `aca does not know what ${name} does with ${brief(option)}`;
}

export function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${startOf(line, MAX_SHOWN)}…` : line;
}
