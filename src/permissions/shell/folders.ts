import type { Folder, Separator, Word } from './shell-line.ts';

/** The working directory after a statement, on success and on failure. */
export type After = { success: Folder; failure: Folder };

/** The context of a statement: loops, and the pipeline it feeds. */
export type Around = {
  folder: Folder;
  loops: ReadonlyMap<string, readonly string[] | null>;
  pipeline: number | null;
  next: Separator | null;
};

const MAX_WAYS = 4;

/** The union of the possible folders of both. */
export function merge(first: Folder, second: Folder): Folder {
  const isKnown = (way: Word[]) =>
    first.ways.some((one) => one.length === way.length && one.every((move, i) => move === way[i]));
  const ways = [...first.ways, ...second.ways.filter((way) => !isKnown(way))];
  return { ways: ways.slice(0, MAX_WAYS), sure: first.sure && second.sure && ways.length <= MAX_WAYS };
}

/** The same, and possibly others. */
export function unsure(folder: Folder): After {
  const after = { ...folder, sure: false };
  return { success: after, failure: after };
}
