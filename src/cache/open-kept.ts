import { createFileWatch } from './file-watch.ts';
import { createKeptFiles, type KeptFiles } from './kept-files.ts';
import { KeptResults } from './kept-results.ts';
import type { Tier } from './tier.ts';
import { TreeWatch } from './tree-watch.ts';

export type OpenKeptOptions = {
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
export type OpenKept = { kept: KeptFiles; results: KeptResults; close(): Promise<void> };

export function openKept(options: OpenKeptOptions): OpenKept {
  const { root, home, machine, scratch, tiers, onTrouble } = options;
  const files = createFileWatch({ onChange: (file) => kept.changed(file) });
  const kept = createKeptFiles({ tiers, machine, onDropped: (real) => files.remove(real) });
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
          `${root} is not watched: ${why}. Each search is made afresh, and files are compared by time and size.`,
        ),
    });

  const results = new KeptResults({
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
