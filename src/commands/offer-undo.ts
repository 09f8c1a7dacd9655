import path from 'node:path';
import type { PendingUndo, UndoReport } from '../contract/command.ts';
import { isInside } from '../lib/inside.ts';

/** What it takes to show a preview, ask, and tell the outcome. */
export type Voice = {
  cwd: string;
  print(text: string): void;
  confirm(question: string): Promise<boolean>;
  /** Shows the preview and asks at once, where a face can; without it the preview is printed. */
  offer?(pending: PendingUndo, question: string): Promise<boolean>;
};

/** Shows what would happen to files, and does it after a yes. False when it was not done. */
export async function offerUndo(pending: PendingUndo, question: string, voice: Voice): Promise<boolean> {
  const { cwd, print } = voice;
  // Passed over, the run no longer stands before those that can be taken back.
  const asked = pending.files.length > 0 ? question : 'Nothing of it can be changed. Pass it over?';
  if (!(await agreed(pending, asked, voice))) {
    print('Nothing was changed.');
    return false;
  }
  print(reportOf(await pending.apply(), cwd));
  return true;
}

async function agreed(pending: PendingUndo, question: string, voice: Voice): Promise<boolean> {
  if (voice.offer) return voice.offer(pending, question);
  voice.print(previewOf(pending, voice.cwd));
  return voice.confirm(question);
}

/** A diffstat, and what would be left alone. */
export function previewOf({ files, conflicts }: PendingUndo, cwd: string): string {
  const width = Math.max(0, ...files.map(({ path: file }) => shown(file, cwd).length));
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + file[of], 0);
  return [
    ...files.map(
      ({ path: file, change, added, removed }) =>
        `  ${change.padEnd(7)} ${shown(file, cwd).padEnd(width)}  +${added} -${removed}`,
    ),
    ...(files.length > 1 ? [`  ${files.length} files, +${sum('added')} -${sum('removed')}`] : []),
    ...conflicts.map(({ path: file, because }) => `  leave alone ${shown(file, cwd)}: ${because}`),
  ].join('\n');
}

function reportOf({ restored, removed, kept }: UndoReport, cwd: string): string {
  const lines = [
    ...restored.map((file) => `restored ${shown(file, cwd)}`),
    ...removed.map((file) => `removed ${shown(file, cwd)}`),
    ...kept.map(({ path: file, because }) => `left alone ${shown(file, cwd)}: ${because}`),
  ];
  return lines.join('\n');
}

/** Short where it is in the working directory. */
function shown(file: string, cwd: string): string {
  return isInside(cwd, file) ? path.relative(cwd, file) || '.' : file;
}
