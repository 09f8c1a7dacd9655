import { type BigIntStats, fstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { UnusableFileError } from '../../contract/errors.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { FileStat, Files, FileWrite } from '../../contract/tool.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { Guard, GuardMode } from '../guard.ts';
import { explained } from './explain-error.ts';
import { exactStat, versionReader } from './file-version.ts';
import { readBytes, withRegular } from './open-file.ts';
import { openFolder } from './open-folder.ts';
import { readLines } from './read-lines.ts';
import { realPath } from './real-path.ts';
import { ownPath, removeFiles } from './remove-files.ts';
import { statOrNull } from './stat-file.ts';
import { type NewContent, writeFiles } from './write-files.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

export type FilesOptions = {
  guard: Guard;
  cwd: string;
  /**
   * Awaited after the new content is synced to disk and before it replaces the old; a throw stops the change.
   */
  onBeforeWrite?: (change: FileChange) => Promise<void>;
  /** Part of the names of temporary files, to identify their owner: hexadecimal digits. */
  mark?: string;
};

export function createFiles({ guard, cwd, onBeforeWrite, mark = '' }: FilesOptions): Files {
  const versionOf = versionReader();

  /** Runs one operation on a checked real path; system errors become sentences. */
  async function at<T>(file: string, mode: GuardMode, deed: (real: string) => Promise<T>): Promise<T> {
    return atReal(await guard.check(file, mode), mode, deed);
  }

  function atReal<T>(real: string, mode: GuardMode, deed: (real: string) => Promise<T>): Promise<T> {
    return step(mode, real, () => deed(real));
  }

  async function step<T>(verb: string, real: string, deed: () => Promise<T>): Promise<T> {
    try {
      return await deed();
    } catch (error) {
      const shown = path.relative(cwd, real) || '.';
      if (error instanceof UnusableFileError) throw error.renamed(real, shown);
      throw explained(error, `${verb} ${shown}`);
    }
  }

  async function writeAll(changes: readonly FileWrite[]): Promise<void> {
    const contents: NewContent[] = [];
    for (const { path: file, ...change } of changes)
      contents.push({ real: await guard.check(file, 'write'), ...change });
    if (new Set(contents.map(({ real }) => real)).size < contents.length)
      throw new Error('The same file is listed twice in one write.');
    await writeFiles(contents, {
      guard,
      onBeforeWrite,
      mark,
      step: (real, deed) => step('write', real, deed),
    });
  }

  async function remove(file: string): Promise<void> {
    const real = await step('delete', path.resolve(cwd, file), () => ownPath(file, guard));
    if (isInside(real, realPath(cwd))) throw new Error('The working directory itself cannot be deleted.');
    await removeFiles(real, { guard, onBeforeWrite, step: (at, deed) => step('delete', at, deed) });
  }

  return {
    read: (file, { most } = { most: MAX_FILE_BYTES }) =>
      at(file, 'read', (real) =>
        withRegular(real, guard, async ({ fd, size }) => {
          if (size > most) throw new UnusableFileError(tooLarge(real, size));
          const version = versionOf(real, fstatSync(fd, { bigint: true }));
          const bytes = await readBytes(fd, size);
          return { path: real, bytes, sha256: sha256(bytes), ...(version !== undefined && { version }) };
        }),
      ),

    readLines: (file, window) =>
      at(file, 'read', (real) =>
        withRegular(real, guard, async (open) => ({ path: real, ...(await readLines(open, window)) })),
      ),

    stat: async (file, options) =>
      atReal(await guard.check(file, 'read', options), 'read', async (real) => {
        const stat = exactStat(real);
        const version = stat && versionOf(real, stat);
        return stat && { ...toFileStat(real, stat), ...(version != null && { version }) };
      }),

    list: (file) =>
      at(file, 'read', async (real) => {
        const folder = openFolder(real);
        try {
          const names = readdirSync(folder.at('.')).sort();
          const stats = names.map((name) =>
            statEntry({ file: path.join(real, name), place: folder.at(name) }, guard),
          );
          return (await Promise.all(stats)).filter((stat) => stat !== null);
        } finally {
          folder.close();
        }
      }),

    write: (file, bytes, was) => writeAll([{ path: file, bytes, ...(was !== undefined && { was }) }]),
    writeAll,
    remove,
  };
}

/** A link is reported as its target, where the guard allows it. */
async function statEntry(
  { file, place }: { file: string; place: string },
  guard: Guard,
): Promise<FileStat | null> {
  const stat = await statOrNull(place);
  if (!stat?.isSymbolicLink() || !guard.allows(file, 'read')) return stat && toFileStat(file, stat);
  const target = await statOrNull(await guard.check(file, 'read'));
  return toFileStat(file, target ?? stat);
}

function toFileStat(file: string, stat: Stats | BigIntStats): FileStat {
  return {
    path: file,
    type: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    size: Number(stat.size),
    modifiedMs: 'mtimeNs' in stat ? Number(stat.mtimeNs) / 1e6 : stat.mtimeMs,
  };
}

function tooLarge(file: string, size: number): string {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return (
    `${file} is ${megabytes} MB; files up to 10 MB can be read. ` +
    'Use Grep to find the lines you need, or a command such as head, tail or sed -n to print a part of it.'
  );
}
