import { copyFileSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { type GitFolder, git, gitFailure, gitOutput } from './hardened-git.ts';
import type { Module } from './worktree.ts';

/** A git folder that is ours, and the files of which it records the state. */
export type Stage = GitFolder & { gitDir: string; workTree: string; index: string };

/** One file that differs between two states; a null id means that it is not there. */
export type Difference = {
  path: string;
  from: { mode: string; id: string | null };
  to: { mode: string; id: string | null };
};

export type Staged = {
  /** How it differs from the base. */
  files: readonly Difference[];
  /** A git tree with all files: its id, or an expression for it. */
  tree: string;
  /** What git cannot record: repositories in it, files in the folder of a submodule, unreadable ones. */
  leftOut: readonly string[];
};

export type Submodule = Omit<Module, 'isPresent'>;

const MODULE = '160000';
const NOTHING = '000000';
/** Git could read a file, but not record it. */
const UNWRITTEN =
  /unable to (?:write|create)|failed to insert into database|insufficient permission for adding|No space left|quota exceeded/i;

/**
 * Records all files except ignored ones. The index has no submodules while git reads the files: it would look
 * into them, and run programs that their settings name.
 */
export async function stageAll(
  stage: Stage,
  modules: readonly Module[],
  base: string | null,
): Promise<Staged> {
  const { success, err } = await git(stage, ['add', '--all', '--sparse', '--ignore-errors', '.']);
  if (!success && UNWRITTEN.test(err)) throw gitFailure(stage, err);
  const start = base ?? (await emptyTree(stage));
  const staged = await difference(stage, ['diff-index', '--cached', start]);
  const isOurs = (file: string) => modules.some((module) => file.startsWith(`${module.path}/`));
  const foreign = staged
    .filter(({ path: file, to }) => to.mode === MODULE || isOurs(file))
    .map((one) => one.path);
  if (foreign.length > 0)
    await gitOutput(stage, ['update-index', '--force-remove', '-z', '--stdin'], zeroed(foreign));
  const unread = success ? [] : await unrecorded(stage);
  const kept = modules.filter(
    (module) => !module.isPresent || isFolder(path.join(stage.workTree, module.path)),
  );
  const hidden = modules.flatMap((module) => filesIn(stage.workTree, module.path));
  const leftOut = [...new Set([...foreign, ...unread, ...hidden])].sort();
  const isWhole = foreign.length === 0 && modules.length === 0;
  if (isWhole && staged.length === 0) return { files: [], tree: `${start}^{tree}`, leftOut };
  const tree = await writeTree(stage, kept);
  const files = isWhole ? staged : await difference(stage, ['diff-tree', start, tree]);
  return { files, tree, leftOut };
}

/** The submodules of a commit. */
export async function modulesIn(folder: GitFolder, commit: string): Promise<Submodule[]> {
  const listed = await gitOutput(folder, ['ls-tree', '-r', '-z', commit]);
  return listed.split('\0').flatMap((line) => {
    const [, id, file] = /^160000 commit (\S+)\t(.+)$/s.exec(line) ?? [];
    return id !== undefined && file !== undefined ? [{ path: file, id }] : [];
  });
}

/** Takes submodules out of the index. */
export async function leaveOut(stage: Stage, modules: readonly Submodule[]): Promise<void> {
  const names = zeroed(modules.map((module) => module.path));
  if (modules.length > 0) await gitOutput(stage, ['update-index', '--force-remove', '-z', '--stdin'], names);
}

/** The differences that a `diff-…` command of git reports. */
export async function difference(folder: GitFolder, command: readonly string[]): Promise<Difference[]> {
  const [name = '', ...args] = command;
  const out = await gitOutput(folder, [
    name,
    '-r',
    '--raw',
    '-z',
    '--no-abbrev',
    '--no-renames',
    '--ignore-submodules=none',
    ...args,
  ]);
  const parts = out.split('\0');
  const found: Difference[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, fromMode = '', toMode = '', fromId = '', toId = ''] =
      /^:(\d+) (\d+) (\w+) (\w+) /.exec(parts[i] ?? '') ?? [];
    found.push({
      path: parts[i + 1] ?? '',
      from: { mode: fromMode, id: fromMode === NOTHING ? null : fromId },
      to: { mode: toMode, id: toMode === NOTHING ? null : toId },
    });
  }
  return found;
}

export async function emptyTree(folder: GitFolder): Promise<string> {
  return (await gitOutput(folder, ['mktree'], '')).trim();
}

async function writeTree(stage: Stage, modules: readonly Module[]): Promise<string> {
  if (modules.length === 0) return (await gitOutput(stage, ['write-tree'])).trim();
  const index = `${stage.index}.whole`;
  copyFileSync(stage.index, index);
  try {
    const lines = modules.map((module) => `${MODULE} ${module.id}\t${module.path}`);
    await gitOutput({ ...stage, index }, ['update-index', '-z', '--index-info'], zeroed(lines));
    return (await gitOutput({ ...stage, index }, ['write-tree', '--missing-ok'])).trim();
  } finally {
    rmSync(index, { force: true });
  }
}

/** What `add` refused. */
async function unrecorded(stage: Stage): Promise<string[]> {
  const out = await gitOutput(stage, ['ls-files', '--others', '--modified', '--exclude-standard', '-z']);
  return out.split('\0').flatMap((file) => file.replace(/\/$/, '') || []);
}

/** Files that were put into the folder of a submodule. */
function filesIn(workTree: string, module: string): string[] {
  const folder = path.join(workTree, module);
  if (!isFolder(folder)) return [];
  const names = unlessErrno('any', [], () => readdirSync(folder));
  return names.map((name) => `${module}/${name}`);
}

function isFolder(file: string): boolean {
  return unlessErrno('any', false, () => lstatSync(file).isDirectory());
}

function zeroed(lines: readonly string[]): string {
  return lines.map((line) => `${line}\0`).join('');
}
