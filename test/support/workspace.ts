import { mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { filesBelow } from '../../src/lib/files/files-below.ts';

export type Workspace = { root: string; home: string; tree(): Promise<Record<string, string>> };

/** Seconds since 1970: in January 2026. */
const FIRST_WRITTEN = 1_768_000_000;

/** Registers a cleanup. Concurrent tests must pass that of their own context. */
export type WhenDone = (clean: () => Promise<void>) => void;

/** A real folder with these files, and a separate data root; both are removed at the end of the test. */
export async function workspace(
  files: Record<string, string> = {},
  whenDone: WhenDone = onTestFinished,
): Promise<Workspace> {
  const base = await freshFolder('aca-', whenDone);
  const root = path.join(base, 'project');
  const home = path.join(base, 'home');
  await mkdir(root);
  await mkdir(home);
  for (const [i, [name, text]] of Object.entries(files).entries()) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    // A second apart, the last one newest: sorting by age must not depend on the clock's resolution.
    await utimes(file, FIRST_WRITTEN + i, FIRST_WRITTEN + i);
  }
  return { root, home, tree: () => readTree(root) };
}

/** An empty folder that is removed at the end of the test. */
export async function freshFolder(prefix = 'aca-', whenDone: WhenDone = onTestFinished): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), prefix)));
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

async function readTree(root: string): Promise<Record<string, string>> {
  const texts = await Promise.all(
    filesBelow(root).map(async (file) => [
      path.relative(root, file).replaceAll(path.sep, '/'),
      await readFile(file, 'utf8'),
    ]),
  );
  return Object.fromEntries(texts.sort());
}
