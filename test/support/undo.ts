import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { UndoReport } from '../../src/contract/review.ts';
import type { CommandFacts } from '../../src/session/undo/credit.ts';
import { UndoStore } from '../../src/session/undo/undo-store.ts';
import { workspace } from './workspace.ts';

let runs = 0;

export function begin(store: UndoStore): void {
  runs += 1;
  store.beginRun({ at: new Date(runs).toISOString(), prompt: `task ${runs}`, message: runs });
}

/** A folder with these files, and an undo store for it; `open` is what another process would see. */
export async function storeFor(files: Record<string, string> = {}) {
  const space = await workspace(files);
  const folder = path.join(space.home, 'undo');
  const open = () => new UndoStore({ folder, sessionId: 's', roots: [space.root] });
  return { ...space, at: (name: string) => path.join(space.root, name), open, store: open() };
}

/** Like a file tool: recorded, then written. */
export async function edit(store: UndoStore, file: string, after: string): Promise<void> {
  const before = await readFile(file).catch(() => null);
  const was = before && { was: { type: 'file' as const, mode: lstatSync(file).mode & 0o7777 } };
  await store.keep({ path: file, before, after: Buffer.from(after), ...was });
  await writeFile(file, after);
}

export async function command(store: UndoStore, cwd: string, script: string): Promise<string[]> {
  await store.commandBegins();
  execFileSync('sh', ['-c', script], { cwd, stdio: 'ignore' });
  return store.commandEnded(quick(script, cwd));
}

/** A command of a tenth of a second, however long it actually took. */
export function quick(command: string, cwd: string): CommandFacts {
  return { commands: [{ command, cwd }], endedAt: Date.now(), ms: 100 };
}

export async function undo(store: UndoStore, fromRun?: number): Promise<UndoReport | null> {
  const preview = await store.previewUndo(fromRun);
  return (await preview?.apply()) ?? null;
}

/** The same, including uncertain files. */
export async function undoAll(store: UndoStore): Promise<UndoReport | null> {
  const preview = await store.previewUndo();
  return (await preview?.apply(preview.uncertain.map(({ path: file }) => file))) ?? null;
}

export async function redo(store: UndoStore): Promise<UndoReport | null> {
  const preview = await store.previewRedo();
  return (await preview?.apply()) ?? null;
}

/** Everything observable in a tree: kinds, modes, bytes, link targets, empty folders. */
export function pictureOf(folder: string, base = folder): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(folder).map((name) => {
      const file = path.join(folder, name);
      const stat = lstatSync(file);
      const mode = (stat.mode & 0o7777).toString(8);
      const key = path.relative(base, file);
      if (stat.isSymbolicLink()) return { [key]: `link ${readlinkSync(file)}` };
      if (stat.isDirectory()) return { [key]: `folder ${mode}`, ...pictureOf(file, base) };
      return { [key]: `file ${mode} ${readFileSync(file).toString('base64')}` };
    }),
  );
}
