import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import type { FileChange } from '../../contract/file-change.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import type { FileState } from './file-state.ts';
import type { Objects } from './objects.ts';

/** Stores what a change replaces. */
export function stateBefore(before: Uint8Array, was: FileChange['was'], objects: Objects): FileState {
  if (was?.type === 'folder') return { ...was, hash: '' };
  const hash = objects.put(before);
  return was?.type === 'link'
    ? { type: 'link', mode: null, hash }
    : { type: 'file', mode: was?.mode ?? null, hash };
}

/** Throws the error that saving anything in the folder would cause. */
export function assertWritable(folder: string): void {
  makeFolder(folder);
  accessSync(folder, constants.W_OK);
}

/** What a failing disk means for the user. Any other error is a bug, and thrown. */
export function diskTrouble(error: unknown): string {
  const { syscall, code, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined && code !== 'ENOSPC') throw error;
  return `Changes cannot be undone for now: saving backups failed (${message}).`;
}

export function realIfThere(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}
