import { type Change, type FileState, type Found, inspect, isSame } from './file-state.ts';
import type { Objects } from './objects.ts';
import { countsOf } from './preview.ts';

/** Lines that a file gained and lost; null if they were not counted. */
export type NetChange = { path: string; lines: { added: number; removed: number } | null };

/** Counting the lines of more files would delay the user. */
const MOST_COUNTED = 200;

/**
 * What changes add up to, by path. A file that is as it was before does not count, nor does one that another
 * program may have changed.
 */
export async function netChanges(changes: readonly Change[], objects: Objects): Promise<NetChange[]> {
  const paths = new Map<string, Pick<Change, 'before' | 'after'> & { sure: boolean }>();
  for (const { path, before, after, doubt } of changes) {
    const known = paths.get(path);
    const sure = known?.sure || doubt === undefined;
    paths.set(path, { before: known ? known.before : before, after, sure });
  }
  const files = [...paths].filter(
    ([path, { before, after, sure }]) =>
      sure &&
      !isSame(before, after) &&
      [before, after].some((state) => state && state.type !== 'folder') &&
      // A change is recorded before it is made, and may have failed.
      !isSame(before, inspect(path)?.state ?? null),
  );
  return Promise.all(
    files.map(async ([path, { before, after }]) => {
      const [now, next] = [foundIn(objects, before), foundIn(objects, after)];
      if (files.length > MOST_COUNTED || now === undefined || next === undefined)
        return { path, lines: null };
      const { added, removed } = await countsOf({ path, now, next });
      return { path, lines: { added, removed } };
    }),
  );
}

/** Undefined if the content was not saved. */
function foundIn(objects: Objects, state: FileState | null): Found | null | undefined {
  if (state === null) return null;
  const bytes = state.hash === null || state.hash === '' ? null : objects.get(state.hash);
  return bytes ? { state, bytes } : undefined;
}
