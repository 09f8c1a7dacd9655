import type { DialogKit } from '../dialogs/kit.ts';
import type { Dialog } from '../view/dialog.ts';
import { confirmDialog, wordsOf } from './confirm-dialog.ts';
import { textDialog } from './text-dialog.ts';

/** Matches a yes/no question. */
const YES_NO = /\s*\[y\/n\]\s*$/;

/** A question of a command, as in the plain frontend; a single key is enough for yes or no. */
export function questionDialog(question: string, kit: DialogKit): Dialog<string | null> {
  if (!YES_NO.test(question)) return textDialog({ question });
  const confirm = confirmDialog({ question: question.replace(YES_NO, ''), body: wordsOf('') }, kit);
  return ({ onDone, redraw }) => confirm({ redraw, onDone: (agreed) => onDone(agreed ? 'y' : 'n') });
}
