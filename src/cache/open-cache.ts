import { type CachedFiles, createCachedFiles } from './cached-files.ts';
import { CachedResults } from './cached-results.ts';
import { createFileWatch } from './file-watch.ts';
import type { Tier } from './tier.ts';
import { TreeWatch } from './tree-watch.ts';

export type OpenCacheOptions = {
  /** The working directory's real path. */
  root: string;
  home: string;
  /** Versions of files mean something on one machine only. */
  machine: string;
  /** A folder of our own that no other process uses. */
  scratch: string;
  /** For checksums and reads, below the memory. */
  tiers: readonly Tier[];
  onTrouble(text: string): void;
};

/** What is kept of one session's files, and the watchers that keep it true. */
export type OpenCache = { kept: CachedFiles; results: CachedResults; close(): Promise<void> };

export function openCache(options: OpenCacheOptions): OpenCache {
  const { root, home, machine, scratch, tiers, onTrouble } = options;
  const files = createFileWatch({ onChange: (file) => kept.changed(file) });
  const kept = createCachedFiles({ tiers, machine, onDropped: (real) => files.remove(real) });
  let tree: TreeWatch | undefined;

  // Elsewhere the system does not promise that news comes in order.
  const canWatch = process.platform === 'linux';
  const start = () =>
    new TreeWatch({
      root,
      home,
      cookies: scratch,
      onChange: (file) => kept.changed(file),
      onFail: (why) =>
        onTrouble(
          `Not watching ${root} for changes: ${why}. Searches are not cached, and files are compared by time and size.`,
        ),
    });

  const results = new CachedResults({
    kept,
    watchTree() {
      if (!canWatch) return null;
      tree ??= start();
      return tree;
    },
    // What the tree tells of needs no watcher of its own.
    onKept: (real) => {
      if (!tree?.covers(real)) files.add(real);
    },
  });

  return {
    kept,
    results,
    async close() {
      tree?.close();
      await files.close();
      await Promise.all([kept.checksum.written(), kept.read.written()]);
    },
  };
}
