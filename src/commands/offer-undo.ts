import path from 'node:path';
import type { PendingUndo } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';
import type { UndoReport } from '../contract/review.ts';
import { shownFile } from './format/shown-file.ts';

/** What it takes to show a preview, ask, and report the outcome. */
export type Voice = {
  cwd: string;
  print(text: string): void;
  confirm(question: string): Promise<boolean>;
  /** Shows the preview and asks in one step, if the frontend can; without it the preview is printed. */
  offer?(pending: PendingUndo, question: string): Promise<boolean>;
  /** Uncertain files to change as well; `all` includes all of them. */
  include?: readonly string[];
};

/** Previews the file changes and makes them after a yes. False when declined. */
export async function offerUndo(offered: PendingUndo, question: string, voice: Voice): Promise<boolean> {
  const { cwd, print, include = [] } = voice;
  const pending = withIncluded(offered, namedIn(offered, include, cwd));
  // Once skipped, the run no longer blocks those that can be undone.
  const asked = pending.files.length > 0 ? question : 'None of it can be changed. Skip it?';
  if (!(await agreed(pending, asked, voice))) {
    print('Nothing was changed.');
    return false;
  }
  print(reportOf(await pending.apply(), cwd));
  return true;
}

/** The paths of uncertain files that the user named. */
function namedIn({ uncertain }: PendingUndo, include: readonly string[], cwd: string): string[] {
  const paths = uncertain.map(({ path: file }) => file);
  if (include.includes('all')) return paths;
  const named = include.map((file) => path.resolve(cwd, file));
  const strange = named.find((file) => !paths.includes(file));
  if (strange !== undefined)
    throw new UserError(
      `${shownFile(strange, cwd)} is not one of the uncertain files.`,
      'Run undo without a file name to list them.',
    );
  return named;
}

function withIncluded(pending: PendingUndo, paths: readonly string[]): PendingUndo {
  if (paths.length === 0) return pending;
  const isNamed = ({ path: file }: { path: string }) => paths.includes(file);
  return {
    ...pending,
    files: [...pending.files.filter((file) => !isNamed(file)), ...pending.uncertain.filter(isNamed)],
    uncertain: pending.uncertain.filter((file) => !isNamed(file)),
    // A conflicting change may be the one that is undone now.
    conflicts: pending.conflicts.filter((file) => !isNamed(file)),
    apply: () => pending.apply(paths),
  };
}

async function agreed(pending: PendingUndo, question: string, voice: Voice): Promise<boolean> {
  if (voice.offer) return voice.offer(pending, question);
  voice.print(previewOf(pending, voice.cwd));
  return voice.confirm(question);
}

/** A diffstat, and what would be left unchanged. */
export function previewOf({ files, conflicts, uncertain }: PendingUndo, cwd: string): string {
  const width = Math.max(0, ...files.map(({ path: file }) => shownFile(file, cwd).length));
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + file[of], 0);
  return [
    ...files.map(
      ({ path: file, change, added, removed }) =>
        `  ${change.padEnd(7)} ${shownFile(file, cwd).padEnd(width)}  +${added} -${removed}`,
    ),
    ...(files.length > 1 ? [`  ${files.length} files, +${sum('added')} -${sum('removed')}`] : []),
    ...conflicts.map(({ path: file, because }) => `  leave alone ${shownFile(file, cwd)}: ${because}`),
    ...uncertainLines({ uncertain }, cwd),
  ].join('\n');
}

/** Changes that may not be ours, and how to include them anyway. */
export function uncertainLines({ uncertain }: Pick<PendingUndo, 'uncertain'>, cwd: string): string[] {
  if (uncertain.length === 0) return [];
  return [
    'Possibly not changed by this run, so left alone:',
    ...uncertain.map(
      ({ path: file, change, added, removed, because }) =>
        `  would ${change} ${shownFile(file, cwd)}  +${added} -${removed}: ${because}`,
    ),
    'To undo these as well: /undo FILE ... or /undo all; aca undo --include FILE ... or all.',
  ];
}

function reportOf({ restored, removed, kept }: UndoReport, cwd: string): string {
  const lines = [
    ...restored.map((file) => `restored ${shownFile(file, cwd)}`),
    ...removed.map((file) => `removed ${shownFile(file, cwd)}`),
    ...kept.map(({ path: file, because }) => `left alone ${shownFile(file, cwd)}: ${because}`),
  ];
  return lines.join('\n');
}
