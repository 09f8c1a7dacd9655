import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { runGit } from '../../sandbox/git.ts';
import { type GitState, REF } from '../../session/undo/git-state.ts';
import type { Objects } from '../../session/undo/objects.ts';

export type ScratchGit = {
  /** The copy of the working directory. */
  folder: string;
  /** The repository as it is now; it contains the commits of the session. */
  source: string;
  objects: Objects;
  env: NodeJS.ProcessEnv;
  notes: string[];
};

/**
 * Brings the repository of the copy into the state that it had: HEAD, branches, tags and the index. Null: there was none;
 * undefined: unknown. Resolves with the reason why git commands cannot run again, or null.
 */
export async function setGitState(
  state: GitState | null | undefined,
  place: ScratchGit,
): Promise<string | null> {
  if (state === undefined) return null;
  if (state === 'elsewhere') return 'its repository is not in the folder';
  const repository = path.join(place.folder, '.git');
  if (state === null) {
    rmSync(repository, { recursive: true, force: true });
    return null;
  }
  const { head, commit } = state;
  if (!(await hasCommit(commit, place))) {
    if (!isFolder(place.source)) return 'the repository is not here';
    rmSync(repository, { recursive: true, force: true });
    cpSync(place.source, repository, { recursive: true, verbatimSymlinks: true });
    if (!(await hasCommit(commit, place))) return `the repository has no commit ${commit?.slice(0, 8)}`;
  }
  writeFileSync(path.join(repository, 'HEAD'), `${head}\n`);
  await setRefs(state, place);
  setBranch(repository, { head, commit });
  await setIndex(state, place);
  return null;
}

/** Those whose commits are gone are left out: git would complain about them. */
async function setRefs({ refs }: Exclude<GitState, string>, place: ScratchGit): Promise<void> {
  const saved = refs === undefined ? null : place.objects.get(refs);
  if (saved === null) return;
  const repository = path.join(place.folder, '.git');
  const lines = saved
    .toString('utf8')
    .split('\n')
    .filter((line) => REF.test(line));
  const input = lines.map((line) => `${line.split(' ')[0]}\n`).join('');
  const { out } = await git(['cat-file', '--batch-check'], place, input);
  const missing = new Set([...out.matchAll(/^(\S+) missing$/gm)].map(([, hash]) => hash));
  const packed = path.join(repository, 'packed-refs');
  const others = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : [];
  const kept = [
    ...others.filter((line) => /^[0-9a-f]{40,64} /.test(line) && !/ refs\/(heads|tags)\//.test(line)),
    ...lines.filter((line) => !missing.has(line.split(' ')[0])),
  ];
  for (const kind of ['heads', 'tags']) {
    rmSync(path.join(repository, 'refs', kind), { recursive: true, force: true });
    makeFolder(path.join(repository, 'refs', kind));
  }
  writeFileSync(packed, kept.map((line) => `${line}\n`).join(''));
}

function setBranch(repository: string, { head, commit }: { head: string; commit: string | null }): void {
  const branch = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
  if (branch === undefined) return;
  const file = path.join(repository, ...branch.split('/'));
  if (commit === null) {
    rmSync(file, { force: true });
    return;
  }
  makeFolder(path.dirname(file));
  writeFileSync(file, `${commit}\n`);
}

async function setIndex({ index, commit }: Exclude<GitState, string>, place: ScratchGit): Promise<void> {
  const { folder, objects, notes } = place;
  const bytes = index === null ? null : objects.get(index);
  const file = path.join(folder, '.git', 'index');
  rmSync(file, { force: true });
  if (bytes) writeFileSync(file, bytes);
  if (bytes || commit === null) return;
  notes.push('What was staged in git before a run is not known: the index is that of the commit.');
  await git(['read-tree', commit], place);
}

async function hasCommit(commit: string | null, place: ScratchGit): Promise<boolean> {
  if (!isFolder(path.join(place.folder, '.git'))) return false;
  return commit === null || (await git(['cat-file', '-e', `${commit}^{commit}`], place)).success;
}

function git(args: string[], { folder, env }: ScratchGit, input?: string) {
  const variables = { GIT_DIR: path.join(folder, '.git') };
  return runGit(args, { cwd: folder, env, use: 'read', variables, ...(input !== undefined && { input }) });
}

function isFolder(place: string): boolean {
  return existsSync(place) && statSync(place).isDirectory();
}
