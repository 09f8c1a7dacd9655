import type { PendingUndo } from '../../../contract/command.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { undoBody } from '../dialogs/undo-view.ts';
import type { Dialog } from '../view/dialog.ts';
import { confirmDialog } from './confirm-dialog.ts';

type Offered = { pending: PendingUndo; question: string; cwd: string };

/** The file changes, before the user agrees. */
export function undoPreview({ pending, question, cwd }: Offered, kit: DialogKit): Dialog<boolean> {
  return confirmDialog({ question, body: (frame) => undoBody(pending, cwd, frame) }, kit);
}
