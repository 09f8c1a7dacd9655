import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { isInside } from '../../lib/paths/inside.ts';
import type { Move } from '../../session/bundle/reroot.ts';
import { applySteps } from '../../session/undo/apply.ts';
import { type FileState, type Found, inspect } from '../../session/undo/file-state.ts';
import type { GitState } from '../../session/undo/git-state.ts';
import type { Objects } from '../../session/undo/objects.ts';
import type { States } from '../../session/undo/undo-log.ts';
import { copyFolder, linkInCopy, removeCopy } from './scratch-copy.ts';
import { setGitState } from './scratch-git.ts';

/** A copy of a working directory, to run calls in. */
export type Scratch = {
  folder: string;
  /** The data root of the replay. */
  root: string;
  /** From the working directory to the copy. */
  moves: Move[];
  notes: string[];
  /** Folders that were too large to copy: the copy has links to them. */
  linked: readonly string[];
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

export async function createScratch(options: ScratchOptions): Promise<Scratch> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-replay-')));
  try {
    return copyInto(base, options);
  } catch (error) {
    await removeCopy(base);
    throw error;
  }
}

function copyInto(base: string, options: ScratchOptions): Scratch {
  const { workingDirectory, dataRoot, objects, env, ended, known } = options;
  const folder = options.at ?? path.join(base, path.basename(workingDirectory) || 'project');
  const real = existsSync(workingDirectory) ? realpathSync(workingDirectory) : workingDirectory;
  const roots = [...new Set([workingDirectory, real])];
  const notes: string[] = [];
  const linked: string[] = [];
  const at = (file: string): string | null => {
    const root = roots.find((one) => isInside(one, file));
    return root === undefined ? null : path.join(folder, path.relative(root, file));
  };
  makeFolder(folder);
  if (existsSync(real)) {
    const without = [base, realpathSync(folder), dataRoot];
    const linkedTo = (place: string) => void linked.push(place);
    copyFolder({ from: real, to: folder, at, without, ended, known, notes, linked: linkedTo });
  } else notes.push(`The folder ${workingDirectory} is gone: only files that undo has saved are there.`);
  return {
    folder,
    root: path.join(base, 'data'),
    moves: roots.map((from) => ({ from, to: folder })),
    notes,
    linked,
    at,
    isOutside: (written) => !isInside(folder, realPlace(path.resolve(folder, written))),
    set: (states) => setStates(states, { at, objects, notes }),
    setGit: (state) => setGitState(state, { folder, source: path.join(real, '.git'), objects, env, notes }),
    remove: () => removeCopy(base),
  };
}

/** With the links of what exists of it resolved. */
export function realPlace(file: string): string {
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
    const now = inspect(place);
    if (next?.state.type !== 'link') return [{ path: place, now, next }];
    const bytes = linkInCopy(next.bytes, { source: file, target: place, at });
    return [{ path: place, now, next: { ...next, bytes } }];
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
