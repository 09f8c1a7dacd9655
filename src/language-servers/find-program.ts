import { readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../lib/files/errno.ts';
import { isInside } from '../lib/paths/inside.ts';
import { isObject, parseJson } from '../lib/text/json.ts';
import { isThere, textOnDisk } from './disk.ts';
import { endingOf, type Language } from './languages.ts';
import type { FoundProgram } from './server.ts';

export type FindOptions = {
  /** The session's folder that contains the root. */
  folder: string;
  /** The program of this name on PATH that no command could have put there; null if there is none. */
  installed(name: string): string | null;
  platform?: NodeJS.Platform;
};

/** The server to use in a root: from `node_modules` of the project, or else from PATH. Nothing is downloaded. */
export function findProgram(language: Language, root: string, options: FindOptions): FoundProgram | null {
  const { folder, installed, platform = process.platform } = options;
  const ending = platform === 'win32' ? '.cmd' : '';
  for (const program of language.programs) {
    const { command, since } = program;
    const modules = foldersUp(root, folder).map((at) => path.join(at, 'node_modules'));
    const local = modules.find(
      (at) => isThere(path.join(at, '.bin', command + ending)) && (!since || hasMajor(at, since)),
    );
    if (local !== undefined) return { ...program, file: path.join(local, '.bin', command + ending) };
    if (since) continue;
    const file = path.isAbsolute(command) ? command : installed(command);
    if (file !== null && isThere(file)) return { ...program, file };
  }
  return null;
}

function hasMajor(modules: string, { package: name, major }: { package: string; major: number }): boolean {
  const manifest = parseJson(textOnDisk(path.join(modules, name, 'package.json')) ?? '');
  const version = isObject(manifest) ? manifest.version : undefined;
  return typeof version === 'string' && Number.parseInt(version, 10) >= major;
}

/** The outermost folder with one of the language's marks, within the session's folder; else that folder. */
export function rootOf(file: string, language: Language, folder: string): string {
  const marked = foldersUp(path.dirname(file), folder).filter((at) =>
    language.markers.some((marker) => isThere(path.join(at, marker))),
  );
  return marked.at(-1) ?? folder;
}

/** From a folder up to another that contains it. */
function foldersUp(from: string, to: string): string[] {
  if (!isInside(to, from)) return [to];
  const folders = [from];
  for (let at = from; at !== to && path.dirname(at) !== at; ) {
    at = path.dirname(at);
    folders.push(at);
  }
  return folders;
}

const MAX_FOLDERS = 40;
const SKIPPED = /^(\.|node_modules$|target$|dist$|build$|vendor$)/;

/** The languages that a project seems to use: by its marks, and by files in it and in its subfolders. */
export function languagesIn(folder: string, languages: readonly Language[]): Language[] {
  const top = entriesOf(folder);
  const below = top
    .filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name))
    .slice(0, MAX_FOLDERS)
    .flatMap(({ name }) => entriesOf(path.join(folder, name)));
  const names = new Set([...top, ...below].map(({ name }) => name));
  const endings = new Set([...names].map(endingOf));
  return languages.filter(
    ({ markers, extensions }) =>
      markers.some((marker) => names.has(marker)) ||
      Object.keys(extensions).some((ending) => endings.has(ending)),
  );
}

function entriesOf(folder: string) {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], [], () =>
    readdirSync(folder, { withFileTypes: true }),
  );
}
