import type {
  ChangedFile,
  ChangedHunk,
  ChangeReview,
  ChosenChange,
  UndoReport,
} from '../../contract/review.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { type Change, type Found, inspect, isSame } from './file-state.ts';
import { type Hunk, hunksBetween, isText, reverted, wholeHunk } from './hunks.ts';
import { mergeBack } from './merge.ts';
import type { Objects } from './objects.ts';
import { isMoved, type Step, takenBack } from './plan.ts';
import type { UndoHistory, UndoRecord } from './undo-log.ts';

/** A file with its hunks, and what it would be without the changes. */
type Reviewed = { file: ChangedFile; now: Found | null; base: Found | null; hunks: Hunk[] };

/** Where contents are, and how what was decided is carried out. */
type ReviewWay = {
  objects: Objects;
  revert(steps: Step[]): Promise<UndoReport>;
  /** `next` is what is left to review. */
  accept(steps: Step[]): Promise<void>;
};

export async function reviewOf(changes: readonly Change[], way: ReviewWay): Promise<ChangeReview> {
  const all = await reviewChanges(changes, way.objects);
  return {
    files: listedFiles(all),
    async revert(chosen) {
      const steps = stepsToRevert(all, chosen);
      return withoutFolders(await way.revert(steps), steps);
    },
    accept: (chosen) => way.accept(stepsToAccept(all, chosen)),
    original: (path) => originalText(all, path),
  };
}

/**
 * What is left of changes, given oldest first. A file is compared with what it would be without them, so the
 * user's own edits are in neither side; where both changed the same lines, the change is not listed.
 */
async function reviewChanges(changes: readonly Change[], objects: Objects): Promise<Reviewed[]> {
  const paths = [...new Set(changes.map(({ path }) => path))].sort();
  const all: Reviewed[] = [];
  for (const path of paths) {
    const made = changes.filter((change) => change.path === path);
    const reviewed = await reviewPath(path, made, objects);
    if (reviewed) all.push(reviewed);
  }
  return all;
}

/** Folders are listed only if nothing in them is. */
function listedFiles(all: readonly Reviewed[]): ChangedFile[] {
  return all
    .filter(
      (one) =>
        !isFolder(one) || !all.some((other) => other !== one && isInside(one.file.path, other.file.path)),
    )
    .map(({ file }) => file);
}

/** The steps to revert what was chosen, together with the folders that were made or deleted for it. */
function stepsToRevert(all: readonly Reviewed[], chosen: readonly ChosenChange[]): Step[] {
  const steps = all.flatMap((one): Step[] => {
    const { picked } = divided(one, chosen);
    const { file, now } = one;
    return picked.length === 0 ? [] : [{ path: file.path, now, next: reverted(now, picked) }];
  });
  const folders = all.filter(
    (one) =>
      isFolder(one) &&
      (one.now === null) !== (one.base === null) &&
      !steps.some(({ path }) => path === one.file.path) &&
      steps.some(
        ({ path, now, next }) =>
          isInside(one.file.path, path) && (one.base === null ? next === null : now === null),
      ),
  );
  return [...steps, ...folders.map(({ file: { path }, now, base }) => ({ path, now, next: base }))];
}

/** What stays to be reviewed of each accepted file. A folder is accepted with anything in it. */
function stepsToAccept(all: readonly Reviewed[], chosen: readonly ChosenChange[]): Step[] {
  return all.flatMap((one): Step[] => {
    const { file, now } = one;
    const isAll = chosen.some(({ path, hunk }) =>
      isFolder(one) ? isInside(file.path, path) : path === file.path && hunk === undefined,
    );
    if (isAll) return [{ path: file.path, now, next: now }];
    const { picked, others } = divided(one, chosen);
    return picked.length === 0 ? [] : [{ path: file.path, now, next: reverted(now, others) }];
  });
}

export function acceptRecords(steps: readonly Step[]): UndoRecord[] {
  const at = new Date().toISOString();
  return steps.map(({ path, now, next }) => {
    const left = { path, before: next?.state ?? null, after: now?.state ?? null };
    return { type: 'accepted', at, ...left };
  });
}

/** The hunks of a file that were chosen, and the rest. */
function divided({ file, hunks }: Reviewed, chosen: readonly ChosenChange[]) {
  const wanted = chosen.filter(({ path }) => path === file.path);
  const isWanted = (index: number) => wanted.some(({ hunk }) => hunk === undefined || hunk === index);
  return {
    picked: hunks.filter((_, index) => isWanted(index)),
    others: hunks.filter((_, index) => !isWanted(index)),
  };
}

/** What is to be reviewed of the history since a run, oldest first. */
export function pendingChanges({ runs, accepted }: UndoHistory, fromRun: number): Change[] {
  const made = runs
    .filter(({ undone, index }) => !undone && index >= fromRun)
    .flatMap(({ changes }) => changes);
  const settled = [...accepted.values()].filter(({ covered }) => made.some((change) => covered.has(change)));
  return [
    ...settled.map(({ change }) => change),
    ...made.filter((change) => !accepted.get(change.path)?.covered.has(change)),
  ];
}

function originalText(all: readonly Reviewed[], path: string): string | null {
  const base = all.find(({ file }) => file.path === path)?.base;
  return base && isText(base) ? base.bytes.toString('utf8') : null;
}

/** As a run of its own, so that it is undone on its own. */
export function reviewRecords(changes: readonly Change[]): UndoRecord[] {
  if (changes.length === 0) return [];
  const at = new Date().toISOString();
  return [
    { type: 'run', at, prompt: '/changes', message: 0, isReview: true },
    ...changes.map((change): UndoRecord => ({ type: 'change', ...change })),
  ];
}

/** A folder that was made for a file stays if something else is in it: nothing to report. */
function withoutFolders(report: UndoReport, steps: readonly Step[]): UndoReport {
  const isFolderStep = (path: string) =>
    steps.some((step) => step.path === path && step.now?.state.type === 'folder');
  return { ...report, kept: report.kept.filter(({ path }) => !isFolderStep(path)) };
}

async function reviewPath(path: string, made: readonly Change[], objects: Objects): Promise<Reviewed | null> {
  const now = inspect(path);
  const doubt = made.find((change) => change.doubt !== undefined)?.doubt;
  const notes = doubt === undefined ? [] : [`Possibly not changed by this run: ${doubt}.`];
  const found = isMoved(path) ? 'its folder now points elsewhere' : await withoutChanges(made, now, objects);
  const blank = { path, added: 0, removed: 0 };
  if (typeof found === 'string') {
    const file = {
      ...blank,
      change: kindOf(made, now),
      hunks: [],
      notes: [...notes, `Left alone: ${found}.`],
    };
    return { file, now, base: now, hunks: [] };
  }
  const { base, conflicts } = found;
  const hunks = isSame(now?.state ?? null, base?.state ?? null)
    ? []
    : base && now
      ? await hunksBetween(base, now)
      : [wholeHunk(base, now)];
  if (hunks.length === 0 && conflicts === 0) return null;
  const shown = distinct(hunks.map((hunk) => hunk.shown));
  const sum = (of: 'added' | 'removed') => shown.reduce((total, hunk) => total + hunk[of], 0);
  const file: ChangedFile = {
    path,
    change: base === null ? 'new' : now === null ? 'deleted' : 'changed',
    added: sum('added'),
    removed: sum('removed'),
    hunks: shown,
    notes: [...notes, ...(conflicts === 0 ? [] : [conflictText(conflicts)])],
  };
  return { file, now, base, hunks };
}

/** The same change at several places gets a number. */
function distinct(hunks: readonly ChangedHunk[]): ChangedHunk[] {
  const seen = new Map<string, number>();
  return hunks.map((hunk) => {
    const count = (seen.get(hunk.id) ?? 0) + 1;
    seen.set(hunk.id, count);
    return count === 1 ? hunk : { ...hunk, id: `${hunk.id}-${count}` };
  });
}

/** The current state without the changes, or why it cannot be determined. */
async function withoutChanges(
  made: readonly Change[],
  now: Found | null,
  objects: Objects,
): Promise<{ base: Found | null; conflicts: number } | string> {
  let conflicts = 0;
  const onConflict = () => {
    conflicts += 1;
  };
  let base = now;
  for (const change of joined(made).toReversed()) {
    const back = await takenBack(change, base, {
      objects,
      merge: (current, after, before) => mergeBack(current, after, before, onConflict),
    });
    if (typeof back === 'string') return back;
    base = back;
  }
  return { base, conflicts };
}

/** Changes with nothing in between count as one: what the last of them replaced does not matter. */
function joined(made: readonly Change[]): Change[] {
  const chain: Change[] = [];
  for (const change of made) {
    const last = chain.at(-1);
    if (last && isSame(last.after, change.before)) chain[chain.length - 1] = { ...last, after: change.after };
    else chain.push(change);
  }
  return chain.filter(({ before, after }) => !isSame(before, after));
}

function conflictText(count: number): string {
  const subject = count === 1 ? 'One change overlaps' : `${count} changes overlap`;
  return `${subject} your own later edits and cannot be reverted.`;
}

function kindOf(made: readonly Change[], now: Found | null): ChangedFile['change'] {
  if (now === null) return 'deleted';
  return made[0]?.before === null ? 'new' : 'changed';
}

function isFolder({ now, base }: Reviewed): boolean {
  return (now ?? base)?.state.type === 'folder' && (base ?? now)?.state.type === 'folder';
}
