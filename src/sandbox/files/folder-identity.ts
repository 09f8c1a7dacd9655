import { statSync } from 'node:fs';
import { PermissionDeniedError } from '../../contract/errors.ts';
import { realPath } from './real-path.ts';

/** The same for every spelling of a folder, including links; null if it does not exist. */
export function folderIdentity(folder: string): string | null {
  try {
    const stat = statSync(folder, { bigint: true });
    return stat.isDirectory() ? `${stat.dev}:${stat.ino}` : null;
  } catch {
    return null;
  }
}

/** Remembers a folder. The returned check throws once its path leads to another folder, or to none. */
export function pinFolder(folder: string): () => void {
  const before = identify(folder);
  return () => {
    const now = identify(folder);
    if (!before || (now?.identity === before.identity && now.real === before.real)) return;
    const change = !now
      ? 'it is no longer a folder'
      : now.real === before.real
        ? 'it was replaced by another folder'
        : `it now resolves to ${now.real}`;
    throw new PermissionDeniedError({
      operation: `run a command in ${folder} (${change}; ask the user to restore it or to start a new session)`,
      by: 'path guard',
    });
  };
}

function identify(folder: string): { identity: string; real: string } | null {
  const identity = folderIdentity(folder);
  return identity === null ? null : { identity, real: realPath(folder) };
}
