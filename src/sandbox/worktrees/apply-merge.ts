import { chmodSync, lstatSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { FileChange } from '../../contract/file-change.ts';
import type { Files } from '../../contract/tool.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { sha256 } from '../../lib/sha256.ts';
import { makeFolder } from '../files/open-folder.ts';
import type { Guard } from '../guard.ts';
import type { MergeStep } from './plan-merge.ts';

export type MergePlace = {
  root: string;
  files: Pick<Files, 'writeAll' | 'remove'>;
  guard: Pick<Guard, 'check'>;
  onBeforeWrite(change: FileChange): Promise<void>;
};

/**
 * Makes the planned changes, undoably. Contents are written all or none, and only over what the plan was made
 * from; an error leaves the rest undone.
 */
export async function applyMerge(steps: readonly MergeStep[], place: MergePlace): Promise<void> {
  const { root, files } = place;
  const at = ({ path: file }: MergeStep) => path.join(root, file);
  const isReplaced = ({ before, after }: MergeStep) => before !== null && before.type !== after?.type;
  const removals = steps.filter(isReplaced);
  const writes = steps.flatMap((step) => {
    const { before, after } = step;
    if (after?.type !== 'file' || (before?.type === 'file' && before.bytes.equals(after.bytes))) return [];
    const was = before?.type === 'file' ? { sha256: sha256(before.bytes) } : null;
    return [{ path: at(step), bytes: after.bytes, was }];
  });
  const remove = async () => {
    for (const step of removals) await files.remove(at(step));
  };
  // A file that becomes a folder, or the other way round, goes first; otherwise what may fail does.
  const isInTheWay = removals.some((step) =>
    writes.some(({ path: file }) => isInside(at(step), file) || isInside(file, at(step))),
  );
  if (isInTheWay) await remove();
  if (writes.length > 0) await files.writeAll(writes);
  if (!isInTheWay) await remove();
  for (const step of steps) await finish(at(step), step, place);
}

/** What `writeAll` does not do: links, and becoming executable or not. */
async function finish(
  file: string,
  { before, after }: MergeStep,
  { guard, onBeforeWrite }: MergePlace,
): Promise<void> {
  if (after === null) return;
  const real = await guard.check(file, 'write', { itself: true });
  if (after.type === 'link') {
    const was = before?.type === 'link' ? { was: { type: 'link' as const, mode: before.mode } } : {};
    const old = before?.type === 'link' ? before.bytes : null;
    await onBeforeWrite({
      path: real,
      before: old,
      after: after.bytes,
      ...was,
      becomes: { type: 'link', mode: null },
    });
    putLink(real, after.bytes, old !== null);
    return;
  }
  const mode = lstatSync(real).mode & 0o7777;
  const wanted = (after.mode & 0o100) !== 0 ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
  if (mode === wanted) return;
  const { bytes } = after;
  await onBeforeWrite({
    path: real,
    before: bytes,
    after: bytes,
    was: { type: 'file', mode },
    becomes: { type: 'file', mode: wanted },
  });
  chmodSync(real, wanted);
}

/** In its open folder: a link put in its path has no effect. */
function putLink(real: string, target: Buffer, replaces: boolean): void {
  const folder = makeFolder(path.dirname(real));
  try {
    const place = folder.at(path.basename(real));
    if (replaces) unlinkSync(place);
    symlinkSync(target, place);
  } finally {
    folder.close();
  }
}
