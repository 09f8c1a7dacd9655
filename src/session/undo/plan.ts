import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isTorn } from '../../lib/files/replace-file.ts';
import { nativePath, pathFromBytes } from '../../lib/paths/raw-path.ts';
import { sha256 } from '../../lib/sha256.ts';
import { type Change, type FileState, type Found, inspect, isSame, isSameMode } from './file-state.ts';
import { mergeBack } from './merge.ts';
import type { Objects } from './objects.ts';

/** The planned change of one path. `now` is its state when the plan was made. */
export type Step = { path: string; now: Found | null; next: Found | null };

/** `conflicts` are left unchanged: the user decides. */
export type Plan = { steps: Step[]; conflicts: { path: string; because: string }[] };

/** How to revert changes, given oldest first, from the current state. Changes nothing. */
export async function planBack(changes: readonly Change[], objects: Objects): Promise<Plan> {
  const planned = new Map<string, { now: Found | null; next: Found | null }>();
  const conflicts = new Map<string, string>();
  for (const change of changes.toReversed()) {
    const { path: file } = change;
    if (conflicts.has(file)) continue;
    const place = planned.get(file) ?? found(file);
    const next = isMoved(file)
      ? 'its folder now points elsewhere'
      : await takenBack(change, place.next, { objects, merge: mergeBack });
    if (typeof next === 'string') {
      conflicts.set(file, next);
      planned.delete(file);
    } else planned.set(file, { now: place.now, next });
  }
  return {
    steps: [...planned]
      .map(([file, place]) => ({ path: file, ...place }))
      .filter(({ now, next }) => !isSame(now?.state ?? null, next?.state ?? null))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    conflicts: [...conflicts].map(([file, because]) => ({ path: file, because })),
  };
}

function found(file: string): { now: Found | null; next: Found | null } {
  const now = inspect(file);
  return { now, next: now };
}

/** Paths are real ones; a folder replaced by a link would redirect a write. */
export function isMoved(file: string): boolean {
  let folder = path.dirname(file);
  for (;;) {
    try {
      return pathFromBytes(realpathSync(nativePath(folder), 'buffer')) !== folder;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return true;
      folder = path.dirname(folder);
    }
  }
}

/** Where contents are, and how changes to both sides are merged. */
export type Way = {
  objects: Objects;
  merge(now: Buffer, after: Buffer, before: Buffer): Promise<Buffer | null>;
};

/** The state after reverting the change, or why that is impossible. */
export async function takenBack(
  { before, after }: Change,
  now: Found | null,
  way: Way,
): Promise<Found | null | string> {
  const { objects } = way;
  const state = now?.state ?? null;
  if (isSame(state, before)) return now;
  if (isSame(state, after)) return before === null ? null : brought(before, now, objects);
  if (state?.type === 'file' && after?.type === 'file' && before?.type === 'file')
    return now === null ? null : merged({ before, after }, now, way);
  return 'it was changed later';
}

/** A state with its saved bytes, or why it cannot be restored. */
export function brought(before: FileState, now: Found | null, objects: Objects): Found | string {
  if (before.type === 'other') return 'pipes, sockets and devices cannot be restored';
  if (before.hash === null) return 'it was too large to save';
  const bytes = objects.get(before.hash);
  if (bytes === null) return objects.lossOf(before.hash);
  return { state: { ...before, mode: before.mode ?? now?.state.mode ?? null }, bytes };
}

/** Content and mode are separate: either may have changed since. */
async function merged(
  { before, after }: { before: FileState; after: FileState },
  now: Found,
  { objects, merge }: Way,
): Promise<Found | string> {
  const mode = isSameMode(now.state.mode, after.mode) ? before.mode : now.state.mode;
  const { hash } = now.state;
  if (hash === before.hash) return { ...now, state: { ...now.state, mode } };
  const old = before.hash === null ? null : objects.get(before.hash);
  if (old === null) return objects.lossOf(before.hash ?? '');
  if (hash === after.hash) return { state: { ...before, mode }, bytes: old };
  const ours = after.hash === null ? null : objects.get(after.hash);
  if (ours && isTorn(now.bytes, old, ours)) return { state: { ...before, mode }, bytes: old };
  const bytes = ours && (await merge(now.bytes, ours, old));
  if (!bytes) return 'the same lines were changed later';
  return { state: { type: 'file', mode, hash: sha256(bytes) }, bytes };
}
