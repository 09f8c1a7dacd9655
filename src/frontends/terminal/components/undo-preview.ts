import { shownFile } from '../../../commands/format/shown-file.ts';
import { uncertainLines } from '../../../commands/offer-undo.ts';
import type { PendingUndo } from '../../../contract/command.ts';
import { visibleLine } from '../../../lib/text/visible-text.ts';
import { type Frame, rowsOf, span } from '../dialogs/look.ts';
import { fitTo } from '../text/measure.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Line } from '../view/types.ts';
import { confirmDialog } from './confirm-dialog.ts';

type Offered = { pending: PendingUndo; question: string; cwd: string };

/** The file changes, before the user agrees. */
export function undoPreview({ pending, question, cwd }: Offered): Dialog<boolean> {
  return confirmDialog({ question, body: (frame) => undoBody(pending, cwd, frame) });
}

/** The file changes, one row each; files left unchanged have a reason. */
function undoBody(pending: PendingUndo, cwd: string, { columns, look }: Frame): Line[] {
  const { files, conflicts } = pending;
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + file[of], 0);
  const counts = files.map(({ added, removed }) => `+${added} -${removed}`);
  const widest = Math.max(0, ...counts.map(({ length }) => length));
  const rows = files.map(({ path: file, change, added, removed }): Line => {
    const name = fitTo(
      visibleLine(shownFile(file, cwd)),
      Math.max(8, columns - 'restore'.length - widest - 6),
    );
    return [
      span(`  ${change.padEnd('restore'.length)} `, change === 'remove' ? look.warn : look.plain),
      span(`${name}  `, look.plain),
      span(`+${added}`, look.good),
      span(` -${removed}`, look.danger),
    ];
  });
  const total = `  ${files.length} files, +${sum('added')} -${sum('removed')}`;
  return [
    ...rows,
    ...(files.length > 1 ? [[span(fitTo(total, columns), look.quiet)]] : []),
    ...conflicts.flatMap(({ path: file, because }) =>
      rowsOf(visibleLine(`! skipped: ${shownFile(file, cwd)}: ${because}`), columns, look.warn),
    ),
    ...uncertainLines(pending, cwd).flatMap((line) => rowsOf(visibleLine(line), columns, look.quiet)),
  ];
}
