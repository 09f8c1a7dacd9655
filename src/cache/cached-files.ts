import path from 'node:path';
import type { ToolResult } from '../contract/tool.ts';
import { limitsOf } from './kinds.ts';
import { createStore, type Store } from './store.ts';
import type { Tier } from './tier.ts';

/** What a read was answered with, and the file it was of. */
type KeptRead = { real: string; result: ToolResult };
/** What a search was answered with, and where it looked. */
type KeptSearch = { place: string; result: ToolResult };

/** All that is known of files, and what becomes of it when one changes. */
export type CachedFiles = {
  /** The SHA-256 by real path; its proof is the file's version. */
  checksum: Store<string>;
  /** The proof is the checksum. */
  read: Store<KeptRead>;
  /** True while the tree is watched. */
  glob: Store<KeptSearch>;
  grep: Store<KeptSearch>;
  /** Grows with every change that was told. */
  generation(): number;
  /** A file or folder has changed, or is about to; null: any may have. */
  changed(file: string | null): void;
};

export type CachedFilesOptions = {
  tiers?: readonly Tier[];
  /** Versions of files mean something on one machine only. */
  machine?: string;
  /** Told of every file whose checksum is dropped by a change. */
  onDropped?(real: string): void;
};

export function createCachedFiles({
  tiers = [],
  machine = '',
  onDropped,
}: CachedFilesOptions = {}): CachedFiles {
  let generation = 0;
  const checksum = createStore<string>({
    kind: 'checksum',
    scope: machine,
    limits: limitsOf.checksum,
    tiers,
    read: asText,
  });
  const read = createStore<KeptRead>({
    kind: 'read',
    limits: limitsOf.read,
    tiers,
    read: asKeptRead,
    sizeOf: ({ result }) => sizeOf(result),
  });
  const glob = createStore<KeptSearch>({ kind: 'glob', limits: limitsOf.glob });
  const grep = createStore<KeptSearch>({
    kind: 'grep',
    limits: limitsOf.grep,
    sizeOf: ({ result }) => sizeOf(result),
  });

  function dropFile(file: string): void {
    if (!checksum.delete(file)) return;
    for (const [key, { real }] of read.entries()) if (real === file) read.delete(key);
    onDropped?.(file);
  }

  return {
    checksum,
    read,
    glob,
    grep,
    generation: () => generation,
    changed(file) {
      generation++;
      grep.clear();
      if (file === null) {
        for (const store of [checksum, read, glob]) store.clear();
        return;
      }
      for (const [key, { place }] of glob.entries()) if (isUnder(place, file)) glob.delete(key);
      dropFile(file);
    },
  };
}

/** For absolute paths; many changes come at once, and each is compared with all that is kept. */
function isUnder(place: string, file: string): boolean {
  return file === place || file.startsWith(place.endsWith(path.sep) ? place : place + path.sep);
}

function sizeOf(result: ToolResult): number {
  if (!result.success) return result.error.length;
  return result.output.length + JSON.stringify(result.images ?? []).length;
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asKeptRead(value: unknown): KeptRead | null {
  const { real, result } = (value ?? {}) as Partial<KeptRead>;
  const isWhole = typeof real === 'string' && result?.success === true && typeof result.output === 'string';
  return isWhole ? { real, result } : null;
}
