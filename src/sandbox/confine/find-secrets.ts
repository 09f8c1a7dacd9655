import { lstatSync } from 'node:fs';
import path from 'node:path';
import { peek } from '../../lib/files/peek.ts';
import { entriesOf, isSettled, unlessClosed } from '../files/unless-closed.ts';

export type Closed = { path: string; type: 'file' | 'folder' };

export type Found = { secrets: Closed[]; repositories: string[]; sockets: string[] };

/** Upper levels first, so that a very large tree is looked through where secrets usually are. */
const MAX_DEPTH = 32;
const MAX_FOLDERS = 4_000;
const MAX_ENTRIES = 100_000;
/** Large, and made by programs. */
const skipped = new Set(['.git', 'node_modules', '.venv', 'venv', '__pycache__', 'target']);
/** Of these commands get their own, or nothing they could change. */
const apart = new Set(['/proc', '/sys', '/dev', '/run', '/tmp', '/var/tmp']);

type Folder = {
  changed: bigint;
  size: number;
  secrets: Closed[];
  folders: string[];
  sockets: string[];
  isRepository: boolean;
};

/**
 * Looks for secrets by their names in a folder and all below it, and for the repositories and sockets in there. Bounded, and
 * it remembers folders that have not changed, because it happens before every command: what was found once may have
 * been moved since.
 */
export function createSecretSearch(isClosed: (one: Closed) => boolean): (root: string) => Found {
  const known = new Map<string, Folder>();

  function look(folder: string): Folder | null {
    const changed = changeOf(folder);
    if (changed === null) return null;
    const before = known.get(folder);
    if (before?.changed === changed) return before;
    const entries = entriesOf(folder);
    const found: Folder = {
      changed,
      size: entries.length,
      secrets: [],
      folders: [],
      sockets: [],
      isRepository: false,
    };
    for (const entry of entries) {
      if (entry.name === '.git') found.isRepository = true;
      if (entry.isSymbolicLink()) continue;
      const one: Closed = {
        path: path.join(folder, entry.name),
        type: entry.isDirectory() ? 'folder' : 'file',
      };
      if (apart.has(one.path)) continue;
      if (entry.isSocket()) found.sockets.push(one.path);
      else if (isClosed(one)) found.secrets.push(one);
      else if (one.type === 'folder' && !skipped.has(entry.name)) found.folders.push(one.path);
    }
    if (isSettled(changed)) known.set(folder, found);
    return found;
  }

  return (root) => {
    const found: Found = { secrets: [], repositories: [], sockets: [] };
    let level = [root];
    let folders = 0;
    let entries = 0;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      level = level.flatMap((at) => {
        const folder = folders < MAX_FOLDERS && entries < MAX_ENTRIES ? look(at) : null;
        if (!folder) return [];
        folders += 1;
        entries += folder.size;
        found.secrets.push(...folder.secrets.filter((one) => !isHarmless(one.path)));
        found.sockets.push(...folder.sockets);
        if (folder.isRepository && at !== root) found.repositories.push(at);
        return folder.folders;
      });
    }
    return found;
  };
}

/** Most projects keep only options in their `.npmrc`, and a build without them is another build. */
function isHarmless(file: string): boolean {
  return path.basename(file) === '.npmrc' && !/_auth|_password/i.test(peek.text(file));
}

/** When entries came or went last. Not the time of modification: that one a command can set as it likes. */
function changeOf(folder: string): bigint | null {
  return unlessClosed(() => lstatSync(folder, { bigint: true }).ctimeNs);
}
