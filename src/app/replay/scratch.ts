import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInside } from '../../lib/paths/inside.ts';
import { counted } from '../../lib/text/counted.ts';
import type { Move } from '../../session/bundle/reroot.ts';
import { applySteps } from '../../session/undo/apply.ts';
import { type FileState, type Found, inspect } from '../../session/undo/file-state.ts';
import type { GitState } from '../../session/undo/git-state.ts';
import type { Objects } from '../../session/undo/objects.ts';
import { BUILT } from '../../session/undo/tree-walk.ts';
import type { States } from '../../session/undo/undo-log.ts';
import { setGitState } from './scratch-git.ts';

/** A copy of a working directory, to run calls in. */
export type Scratch = {
  folder: string;
  /** The data root of the replay. */
  root: string;
  /** From the working directory to the copy. */
  moves: Move[];
  notes: string[];
  /** The path in the copy; null for one outside the working directory. */
  at(file: string): string | null;
  /** Whether a path, as a call wrote it, leads to something outside the copy, also through links. */
  isOutside(written: string): boolean;
  /** Brings paths of the working directory into these states. */
  set(states: States): Promise<void>;
  /** Brings the repository into a recorded state; resolves with why git commands cannot run there, or null. */
  setGit(state: GitState | null | undefined): Promise<string | null>;
  remove(): Promise<void>;
};

export type ScratchOptions = {
  workingDirectory: string;
  dataRoot: string;
  objects: Objects;
  env: NodeJS.ProcessEnv;
  /** When the session ended: files that are newer and unknown to undo are named. */
  ended: string;
  known: ReadonlySet<string>;
  /** Where to create it; a temporary folder by default. */
  at?: string;
};

/** A larger folder that tools can rebuild is linked instead of copied. */
const MOST_COPIED = 3_000;

export async function createScratch(options: ScratchOptions): Promise<Scratch> {
  const { workingDirectory, objects, env } = options;
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-replay-')));
  const folder = options.at ?? path.join(base, path.basename(workingDirectory) || 'project');
  mkdirSync(folder, { recursive: true });
  const real = existsSync(workingDirectory) ? realpathSync(workingDirectory) : workingDirectory;
  const roots = [...new Set([workingDirectory, real])];
  const notes: string[] = [];
  const at = (file: string): string | null => {
    const root = roots.find((one) => isInside(one, file));
    return root === undefined ? null : path.join(folder, path.relative(root, file));
  };
  const scratch: Scratch = {
    folder,
    root: path.join(base, 'data'),
    moves: roots.map((from) => ({ from, to: folder })),
    notes,
    at,
    isOutside: (written) => !isInside(folder, realPlace(path.resolve(folder, written))),
    set: (states) => setStates(states, { at, objects, notes }),
    setGit: (state) => setGitState(state, { folder, source: path.join(real, '.git'), objects, env, notes }),
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 3 }),
  };
  if (existsSync(real)) copyFolder(real, folder, options, notes);
  else notes.push(`The folder ${workingDirectory} is gone: only files that undo has saved are there.`);
  return scratch;
}

/** With the links of what exists of it resolved. */
function realPlace(file: string): string {
  if (file === path.dirname(file)) return file;
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() && !existsSync(file))
    return realPlace(path.resolve(path.dirname(file), readlinkSync(file)));
  return existsSync(file)
    ? realpathSync(file)
    : path.join(realPlace(path.dirname(file)), path.basename(file));
}

type Setting = Pick<Scratch, 'at' | 'notes'> & { objects: Objects };

async function setStates(states: States, { at, objects, notes }: Setting): Promise<void> {
  const steps = [...states].flatMap(([file, state]) => {
    const place = at(file);
    if (place === null) {
      notes.push(`${file} is outside the working directory and was not changed.`);
      return [];
    }
    const next = state && foundOf(state, objects);
    if (typeof next === 'string') {
      notes.push(`${file} could not be restored: ${next}.`);
      return [];
    }
    return [{ path: place, now: inspect(place), next }];
  });
  const { kept } = await applySteps(steps);
  for (const { path: file, because } of kept) notes.push(`${file} could not be restored: ${because}.`);
}

function foundOf(state: FileState, objects: Objects): Found | string {
  if (state.type === 'other') return 'it was a pipe, a socket or a device';
  if (state.hash === null) return 'it was too large to save';
  const bytes = objects.get(state.hash);
  return bytes === null ? objects.lossOf(state.hash) : { state, bytes };
}

function copyFolder(
  from: string,
  to: string,
  { dataRoot, ended, known }: ScratchOptions,
  notes: string[],
): void {
  let newer = 0;
  const isInGit = (place: string) => path.relative(from, place).split(path.sep)[0] === '.git';
  const copy = (source: string, target: string): void => {
    const stat = lstatSync(source);
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(source, 'buffer'), target);
    else if (stat.isFile()) {
      if (path.basename(source) === '.git' && leadsOut(source, from)) return;
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      utimesSync(target, stat.atime, stat.mtime);
      if (stat.mtime.toISOString() > ended && !known.has(source) && !isInGit(source)) newer += 1;
    } else if (stat.isDirectory()) {
      if (source === dataRoot) return;
      if (BUILT.has(path.basename(source)) && !isInGit(source) && isLarge(source)) {
        symlinkSync(source, target);
        notes.push(`${path.relative(from, source)} is large: the copy has a link to it.`);
        return;
      }
      mkdirSync(target, { recursive: true, mode: stat.mode });
      for (const name of readdirSync(source)) copy(path.join(source, name), path.join(target, name));
    }
  };
  copy(from, to);
  if (newer > 0)
    notes.push(
      `${counted(newer, 'file')} changed after the session ended and unknown to undo: taken as they are now.`,
    );
}

/** Whether the repository of a worktree or submodule is elsewhere: a copy of its `.git` would change that. */
function leadsOut(file: string, folder: string): boolean {
  const place = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return path.isAbsolute(place) || !isInside(folder, path.resolve(path.dirname(file), place));
}

function isLarge(folder: string): boolean {
  let left = MOST_COPIED;
  const count = (place: string): void => {
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      left -= 1;
      if (left < 0) return;
      if (entry.isDirectory()) count(path.join(place, entry.name));
    }
  };
  count(folder);
  return left < 0;
}
