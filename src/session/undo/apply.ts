import { chmodSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { replaceFile } from '../../lib/files/replace-file.ts';
import { nativePath } from '../../lib/paths/raw-path.ts';
import { type Change, inspect, isSame } from './file-state.ts';
import { isMoved, type Step } from './plan.ts';

/** `kept` are paths that were left unchanged. */
export type Applied = { changes: Change[]; kept: { path: string; because: string }[] };

/**
 * Executes a plan: first removals, innermost first, then creations, outermost first. Skips a path that has
 * changed since the plan was made.
 */
export async function applySteps(steps: readonly Step[]): Promise<Applied> {
  const applied: Applied = { changes: [], kept: [] };
  const opened = new Map<string, number>();
  const inward = [...steps].sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const step of inward.toReversed()) {
    if (goes(step)) await attempt(step, applied, () => withOpenFolder(step.path, opened, () => remove(step)));
  }
  const left = new Set(applied.kept.map(({ path: file }) => file));
  for (const step of inward) {
    if (step.next && !left.has(step.path))
      await attempt(step, applied, () => withOpenFolder(step.path, opened, () => put(step)));
  }
  for (const step of inward.toReversed()) {
    const { path: folder, next } = step;
    const mode = next?.state.type === 'folder' ? next.state.mode : null;
    if (mode === null || applied.kept.some((kept) => kept.path === folder)) continue;
    opened.delete(folder);
    await attempt(step, applied, () => setMode(folder, mode));
  }
  for (const [folder, mode] of opened) {
    // It may be gone: then there is no mode to set.
    if (inspect(folder)) await attempt({ path: folder }, applied, () => setMode(folder, mode));
  }
  for (const { path: file, now, next } of inward) {
    if (applied.kept.some((kept) => kept.path === file)) continue;
    applied.changes.push({ path: file, before: now?.state ?? null, after: next?.state ?? null });
  }
  return applied;
}

/**
 * What must be removed before the new entry can be created: everything except a file replaced by another
 * file.
 */
function goes({ now, next }: Step): boolean {
  if (now === null) return false;
  return next === null || now.state.type !== next.state.type || now.state.type === 'link';
}

/** If only the mode is wrong, that is reported and does not stop the rest. */
function setMode(file: string, mode: number): void {
  try {
    chmodSync(nativePath(file), mode);
  } catch (error) {
    throw new Error(`its mode could not be set to ${mode.toString(8)} (${(error as Error).message})`);
  }
}

async function attempt(
  step: Pick<Step, 'path'>,
  applied: Applied,
  action: () => Promise<void> | void,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    applied.kept.push({ path: step.path, because: reasonOf(error as NodeJS.ErrnoException) });
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'it now contains something else';
  return code === 'EACCES' || code === 'EPERM' ? 'the operating system does not allow it' : message;
}

function remove({ path: file, now }: Step): void {
  const state = inspect(file)?.state ?? null;
  if (!isSame(state, now?.state ?? null)) throw new Error('it was just changed');
  if (state?.type === 'folder') rmdirSync(nativePath(file));
  else unlinkSync(nativePath(file));
}

function put(step: Step): void {
  const { path: file, now, next } = step;
  if (!next) return;
  // A step before this one may have put a link in its way.
  if (isMoved(file)) throw new Error('its folder now points elsewhere');
  if (!goes(step) && !isSame(inspect(file)?.state ?? null, now?.state ?? null))
    throw new Error('it was just changed');
  const { state, bytes } = next;
  makeFolder(path.dirname(file));
  if (state.type === 'folder') makeFolder(file);
  else if (state.type === 'link') symlinkSync(bytes, nativePath(file));
  else replaceFile(file, bytes, state.mode);
}

/** Temporarily opens a folder that is closed to its owner; `opened` remembers its mode. */
async function withOpenFolder(
  file: string,
  opened: Map<string, number>,
  action: () => Promise<void> | void,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const folder = path.dirname(file);
    const mode = inspect(folder)?.state.mode ?? null;
    if (code !== 'EACCES' || mode === null || opened.has(folder)) throw error;
    chmodSync(nativePath(folder), mode | 0o700);
    opened.set(folder, mode);
    await action();
  }
}
