import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import type { Content } from '../startup/place.ts';
import type { WorktreeChanges } from './changes.ts';
import { git, gitOutput } from './hardened-git.ts';
import type { Difference } from './stage.ts';
import { recordOf, type Worktree } from './worktree.ts';

/** One file to change in the original folder. */
export type MergeStep = { path: string; before: Content | null; after: Content | null };

type Conflict = { path: string; because: string };

export type MergePlan = { steps: MergeStep[]; conflicts: Conflict[] };

type Side = { content: Content; id: string };

/** Larger files are not merged line by line. */
const MAX_MERGED = 8 * 1024 * 1024;

/**
 * What has to change in `root`, the folder that a worktree was made from, to have its changes: a three-way
 * merge, file by file, with what `root` has now. Changes nothing.
 */
export async function planMerge(
  worktree: Worktree,
  { files }: WorktreeChanges,
  root: string,
): Promise<MergePlan> {
  const ours = await currentSides(worktree, files, root);
  const plan: MergePlan = { steps: [], conflicts: [] };
  for (const file of files) {
    const because = unmergeable(file, root);
    const merged = because ?? (await mergeFile(worktree, file, ours.get(file.path) ?? null));
    if (typeof merged === 'string') plan.conflicts.push({ path: file.path, because: merged });
    else if (merged !== null) plan.steps.push(merged);
  }
  return plan;
}

function unmergeable({ path: file, from, to }: Difference, root: string): string | null {
  if ([from.mode, to.mode].includes('160000')) return 'it is a submodule';
  if (file.includes('\uFFFD')) return 'its name is not valid text';
  const folder = unlessErrno(['ENOENT', 'ENOTDIR'], root, () =>
    realpathSync.native(path.dirname(path.join(root, file))),
  );
  return isInside(root, folder) ? null : 'a link leads it outside the folder';
}

/** Null if nothing has to be done; a text says why there is a conflict. */
async function mergeFile(
  worktree: Worktree,
  { path: file, from, to }: Difference,
  ours: Side | null,
): Promise<MergeStep | string | null> {
  const place = path.join(worktree.folder, file);
  const theirs = to.id === null ? null : contentOf(place);
  if (to.id !== null && theirs === null) return 'it cannot be read';
  if ((ours?.id ?? null) === to.id && isSameKind(ours?.content ?? null, to.mode)) return null;
  if ((ours?.id ?? null) === from.id && isSameKind(ours?.content ?? null, from.mode))
    return { path: file, before: ours?.content ?? null, after: theirs };
  if (from.id === null) return 'it was created in both places';
  if (ours === null) return 'it was deleted meanwhile';
  if (theirs === null) return 'it was changed meanwhile, and deleted by the subagent';
  const areFiles = ours.content.type === 'file' && theirs.type === 'file' && from.mode !== '120000';
  const bytes = areFiles
    ? await mergeLines(worktree, { file, ours: ours.content.bytes, theirs: theirs.bytes })
    : null;
  if (bytes === null) return 'it was changed in both places';
  // Whoever made it executable wins.
  const mode = to.mode === from.mode ? ours.content.mode : theirs.mode;
  return { path: file, before: ours.content, after: { type: 'file', bytes, mode } };
}

/** Null if the lines conflict, or it is not text. */
async function mergeLines(
  worktree: Worktree,
  { file, ours, theirs }: { file: string; ours: Buffer; theirs: Buffer },
): Promise<Buffer | null> {
  const record = recordOf(worktree);
  const base = await git(record, ['cat-file', '--filters', `${worktree.base}:${file}`]);
  if (!base.success || [base.bytes, ours, theirs].some((bytes) => bytes.length > MAX_MERGED)) return null;
  const folder = mkdtempSync(path.join(worktree.at, 'merge-'));
  try {
    const names = Object.entries({ ours, base: base.bytes, theirs }).map(([name, bytes]) => {
      writeFileSync(path.join(folder, name), bytes);
      return path.join(folder, name);
    });
    const merged = await git({ cwd: folder, env: worktree.env }, ['merge-file', '-p', '--quiet', ...names]);
    return merged.success ? merged.bytes : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the original folder has now, with the ids that git would give it. */
async function currentSides(
  worktree: Worktree,
  files: readonly Difference[],
  root: string,
): Promise<Map<string, Side>> {
  const found = files.flatMap(({ path: file }) => {
    const content = contentOf(path.join(root, file));
    return content ? [{ file, content }] : [];
  });
  const regular = found.filter(({ content }) => content.type === 'file');
  const input = regular.map(({ file }) => `${quoted(file)}\n`).join('');
  const stage = { ...recordOf(worktree), cwd: root, workTree: root };
  const out = input === '' ? '' : await gitOutput(stage, ['hash-object', '--stdin-paths'], input);
  const ids = new Map(
    out
      .trim()
      .split('\n')
      .map((id, i) => [regular[i]?.file, id]),
  );
  const algorithm = worktree.base.length === 40 ? 'sha1' : 'sha256';
  return new Map(
    found.map(({ file, content }) => [
      file,
      { content, id: ids.get(file) ?? blobId(content.bytes, algorithm) },
    ]),
  );
}

function blobId(bytes: Buffer, algorithm: string): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function contentOf(file: string): Content | null {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'], null, () => {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return { type: 'link', bytes: readlinkSync(file, 'buffer'), mode: 0o777 };
    return stat.isFile() ? { type: 'file', bytes: readFileSync(file), mode: stat.mode & 0o777 } : null;
  });
}

/** By a mode of git. */
function isSameKind(content: Content | null, mode: string): boolean {
  if (content === null) return mode === '000000';
  if (content.type === 'link') return mode === '120000';
  return mode === ((content.mode & 0o100) !== 0 ? '100755' : '100644');
}

/** As git writes unusual names in lists with one name per line. */
function quoted(name: string): string {
  return /["\\\n]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : name;
}
