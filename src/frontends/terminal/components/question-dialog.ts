import type { Dialog } from '../view/dialog.ts';
import { confirmDialog, wordsOf } from './confirm-dialog.ts';
import { textDialog } from './text-dialog.ts';

/** Matches a yes/no question. */
const YES_NO = /\s*\[y\/n\]\s*$/;

/** A question of a command, as in the plain frontend. */
export function questionDialog(question: string): Dialog<string | null> {
  if (!YES_NO.test(question)) return textDialog({ question });
  const confirm = confirmDialog({ question: question.replace(YES_NO, ''), body: wordsOf('') });
  return ({ onDone, ...host }) => confirm({ ...host, onDone: (agreed) => onDone(agreed ? 'y' : 'n') });
}
