import { visibleLine, visibleText } from '../../../lib/text/visible-text.ts';
import type { Choices } from '../dialogs/choices.ts';
import { type Frame, rowsOf } from '../dialogs/look.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Line } from '../view/types.ts';
import { choiceDialog } from './choice-dialog.ts';

/** `body` shows what a yes would mean, in rows that fit the frame. */
export type Confirmation = { question: string; body(frame: Frame): Line[] };

const choices: Choices<'yes' | 'no'> = {
  list: [
    { name: 'yes', letter: 'y', words: 'Yes', short: 'yes' },
    { name: 'no', letter: 'n', words: 'No', short: 'no' },
  ],
  isExplicit: true,
};

/** True only after an explicit yes. */
export function confirmDialog({ question, body }: Confirmation): Dialog<boolean> {
  const panel = { title: visibleLine(question), aside: '', esc: 'no', body };
  const dialog = choiceDialog({ choices, panel: () => panel });
  return ({ onDone, ...host }) =>
    dialog({ ...host, onDone: (chosen) => onDone(chosen.type === 'chosen' && chosen.name === 'yes') });
}

/** A text body. */
export function wordsOf(text: string): Confirmation['body'] {
  const words = visibleText(text).replaceAll('\t', '    ');
  return ({ columns, look }) => (text === '' ? [] : rowsOf(words, columns, look.plain));
}
