import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { peek } from './files/peek.ts';
import { isInside } from './paths/inside.ts';
import { parseJson } from './text/json.ts';

const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** The entry file of a module: the file itself, or the one its folder names. Null if there is none. */
export function moduleEntry(place: string): string | null {
  if (isFile(place)) return place;
  const named = [...namedBy(path.join(place, 'package.json')), ...ENDINGS.map((ending) => `index${ending}`)];
  // A package must not name files outside itself.
  const files = named.map((name) => path.resolve(place, name)).filter((file) => isInside(place, file));
  return files.flatMap((file) => [file, ...ENDINGS.map((ending) => file + ending)]).find(isFile) ?? null;
}

/**
 * The folder of an installed package, searched from a folder up to the topmost one. Null if not installed.
 */
export function packageFolder(name: string, from: string, top: string): string | null {
  for (let folder = from; isInside(top, folder); folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (folder === path.dirname(folder)) return null;
  }
  return null;
}

/** Whether this is a package name rather than a path. */
export function isPackageName(text: string): boolean {
  return /^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(text);
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

function namedBy(file: string): string[] {
  const { exports, module, main } = (parseJson(peek.text(file)) ?? {}) as Record<string, unknown>;
  return [...exported(exports), module, main].filter(
    (name) => typeof name === 'string' && name !== '',
  ) as string[];
}

/** The targets of the package root in `exports`. */
function exported(exports: unknown): unknown[] {
  if (typeof exports !== 'object' || exports === null) return [exports];
  const table = exports as Record<string, unknown>;
  if ('.' in table) return exported(table['.']);
  return ['node', 'import', 'default'].flatMap((condition) => exported(table[condition]));
}
