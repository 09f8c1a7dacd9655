import { modelDialog, type Outcome } from '../dialogs/model.ts';
import { edited, lineOf, type TextLine } from '../dialogs/text-line.ts';
import { renderText, type TextQuestion } from '../dialogs/text-view.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Key } from '../view/types.ts';

/** A line of text; null when cancelled. */
export function textDialog(asked: TextQuestion): Dialog<string | null> {
  return modelDialog({
    open: () => lineOf(asked.text ?? ''),
    press: pressText,
    lines: (line, frame) => renderText(line, asked, frame),
  });
}

function pressText(line: TextLine, key: Key): Outcome<TextLine, string | null> {
  if (key.type === 'key') {
    if (key.name === 'return') return { type: 'end', result: line.text };
    if (key.name === 'escape' || (key.ctrl && key.name === 'c')) return { type: 'end', result: null };
  }
  return { type: 'state', state: edited(line, key) ?? line };
}
