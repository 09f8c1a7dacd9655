import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { peek } from './files/peek.ts';
import { isInside } from './paths/inside.ts';

const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** The file that stands for a module: the file itself, or the one its folder names. Null when there is none. */
export function moduleEntry(place: string): string | null {
  if (isFile(place)) return place;
  const named = [...namedBy(path.join(place, 'package.json')), ...ENDINGS.map((ending) => `index${ending}`)];
  // A package names nothing outside itself.
  const files = named.map((name) => path.resolve(place, name)).filter((file) => isInside(place, file));
  return files.flatMap((file) => [file, ...ENDINGS.map((ending) => file + ending)]).find(isFile) ?? null;
}

/** Where a package is installed, looked for from a folder up to the topmost one. Null when it is not. */
export function packageFolder(name: string, from: string, top: string): string | null {
  for (let folder = from; isInside(top, folder); folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (folder === path.dirname(folder)) return null;
  }
  return null;
}

/** Whether this is the name of a package, and no path. */
export function isPackageName(text: string): boolean {
  return /^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(text);
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

function namedBy(file: string): string[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(peek.text(file) || '{}');
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const { exports, module, main } = (manifest ?? {}) as Record<string, unknown>;
  return [...exported(exports), module, main].filter(
    (name) => typeof name === 'string' && name !== '',
  ) as string[];
}

/** What `exports` says of the package itself, for those who import it. */
function exported(exports: unknown): unknown[] {
  if (typeof exports !== 'object' || exports === null) return [exports];
  const table = exports as Record<string, unknown>;
  if ('.' in table) return exported(table['.']);
  return ['node', 'import', 'default'].flatMap((condition) => exported(table[condition]));
}
