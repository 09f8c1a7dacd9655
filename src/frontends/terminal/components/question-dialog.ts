import type { DialogKit } from '../dialogs/kit.ts';
import type { Dialog } from '../view/dialog.ts';
import { confirmDialog, wordsOf } from './confirm-dialog.ts';
import { textDialog } from './text-dialog.ts';

/** A question that wants a yes or a no. */
const YES_NO = /\s*\[y\/n\]\s*$/;

/** A question of a command, as the face in lines would put it; one key is enough for a yes or a no. */
export function questionDialog(question: string, kit: DialogKit): Dialog<string | null> {
  if (!YES_NO.test(question)) return textDialog({ question });
  const confirm = confirmDialog({ question: question.replace(YES_NO, ''), body: wordsOf('') }, kit);
  return ({ onDone, redraw }) => confirm({ redraw, onDone: (agreed) => onDone(agreed ? 'y' : 'n') });
}
