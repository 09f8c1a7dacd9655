import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../paths/inside.ts';
import { makeFolder } from './make-folder.ts';

/** `name` is relative to the folder, with forward slashes. */
export type FolderFile = { name: string; content: Buffer; executable: boolean };

export type FolderLimits = { files: number; bytes: number; depth: number };

/** A folder that must not be used as it is; the message says why. */
export class FolderError extends Error {}

/**
 * All files in a folder, in an order that does not depend on the disk, without git's own. Links are followed
 * inside the folder. Throws a `FolderError` for links that lead out, anything that is neither file nor folder,
 * and more than the limits.
 */
export function readFolder(root: string, limits: FolderLimits): FolderFile[] {
  const real = realpathSync(root);
  const files: FolderFile[] = [];
  let room = limits.bytes;

  function add(prefix: string, depth: number): void {
    if (depth > limits.depth) throw new FolderError(`its folders are more than ${limits.depth} levels deep`);
    for (const entry of readdirSync(path.join(real, prefix)).sort()) {
      if (entry === '.git') continue;
      const name = prefix + entry;
      if (hasControls(entry))
        throw new FolderError(`it has a file with a control character in its name: ${JSON.stringify(name)}`);
      const file = path.join(real, name);
      if (lstatSync(file).isSymbolicLink()) checkLink(file, name, real);
      const stats = statSync(file);
      if (stats.isDirectory()) add(`${name}/`, depth + 1);
      else if (!stats.isFile()) throw new FolderError(`${name} is neither a file nor a folder`);
      else {
        room -= stats.size;
        if (files.length >= limits.files) throw new FolderError(`it has more than ${limits.files} files`);
        if (room < 0) throw new FolderError(`it is larger than ${limits.bytes / 1024 ** 2} MB`);
        files.push({ name, content: readFileSync(file), executable: (stats.mode & 0o100) !== 0 });
      }
    }
  }

  add('', 0);
  return files;
}

function checkLink(file: string, name: string, root: string): void {
  let target: string;
  try {
    target = realpathSync(file);
  } catch {
    throw new FolderError(`${name} is a link that leads nowhere`);
  }
  if (!isInside(root, target)) throw new FolderError(`${name} is a link that leads out of it`);
}

function hasControls(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for.
  return /[\u0000-\u001f\u007f-\u009f]/.test(name);
}

/** A hash of names, contents and which files are executable, and of a text that belongs to them. */
export function folderHash(files: readonly FolderFile[], text = ''): string {
  const hash = createHash('sha256').update(`${Buffer.byteLength(text)}\0${text}`);
  for (const { name, content, executable } of files)
    hash.update(`\0${name}\0${executable ? 'x' : '-'}\0${content.length}\0`).update(content);
  return hash.digest('hex');
}

/** Writes them into a new folder, readable only by this user. */
export function writeFolder(folder: string, files: readonly FolderFile[]): void {
  makeFolder(folder, 0o700);
  for (const { name, content, executable } of files) {
    const file = path.join(folder, name);
    makeFolder(path.dirname(file), 0o700);
    writeFileSync(file, content, { mode: executable ? 0o700 : 0o600 });
  }
}
