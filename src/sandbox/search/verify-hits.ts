import { lstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { detectEncoding } from '../../lib/text/text-encoding.ts';
import { readBytes, withRegular } from '../files/open-file.ts';
import type { Guard } from '../guard.ts';
import { CUT, type SearchedText } from './around-match.ts';
import type { GrepHit } from './grep-records.ts';

/** File systems and the kernel have coarse timestamps. */
const STEP_MS = 50;
const MAX_BYTES = 10 * 1024 * 1024;

export type FoundIn = { file: string; hits: readonly GrepHit[] };

/**
 * ripgrep opens files by path, so replacing a file with a link at the right moment makes it read the link's
 * target. That leaves a trace: the folder's ctime, which cannot be reset. Returns whether no folder from
 * `root` to the file has changed since `started`.
 */
export function steadiness(root: string, started: number): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const top = path.resolve(root);

  function isSteady(folder: string): boolean {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const steady =
      changedAt(folder) < started - STEP_MS && (folder === top || isSteady(path.dirname(folder)));
    known.set(folder, steady);
    return steady;
  }
  return (file) => isSteady(path.dirname(file));
}

/** The hits that are really in the file. */
export async function verifiedHits({ file, hits }: FoundIn, guard: Guard): Promise<GrepHit[]> {
  const { whole, part } = fileText(file, guard);
  const text = await whole();
  if (text !== '') return hits.filter((hit) => text.includes(hit.text.replace(CUT, '')));
  const isThere = async ({ offset, text: shown }: GrepHit) => {
    const expected = Buffer.from(shown.replace(CUT, ''));
    return expected.equals(await part(offset, expected.length));
  };
  const verified: GrepHit[] = [];
  for (const hit of hits) if (await isThere(hit)) verified.push(hit);
  return verified;
}

/** `whole`: the text of a file, empty if it is very large; `part`: some bytes of it, also then. */
export function fileText(file: string, guard: Guard): Required<SearchedText> {
  return {
    whole: () => textOf(file, guard),
    async part(at, length) {
      try {
        return await withRegular(file, guard, async ({ fd }) => {
          const bytes = new Uint8Array(length);
          return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
        });
      } catch {
        // It is no longer a readable file: nothing is shown.
        return new Uint8Array();
      }
    },
  };
}

/** The text of a file that may be read; empty for a very large one. */
export async function textOf(file: string, guard: Guard): Promise<string> {
  try {
    const bytes = await withRegular(file, guard, ({ fd, size }) =>
      size > MAX_BYTES ? Promise.resolve(new Uint8Array()) : readBytes(fd, size),
    );
    const encoding = detectEncoding(bytes);
    const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
    return isWide ? new TextDecoder(encoding).decode(bytes) : Buffer.from(bytes).toString('utf8');
  } catch {
    // It is no longer a readable file: nothing is shown.
    return '';
  }
}

function changedAt(folder: string): number {
  return unlessErrno(['ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'], Number.POSITIVE_INFINITY, () => {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    return stat?.isDirectory() ? stat.ctimeMs : Number.POSITIVE_INFINITY;
  });
}
