import { visibleText } from '../../../lib/text/visible-text.ts';
import { inputRow, keyRow } from '../dialogs/footer.ts';
import { type Frame, rowsOf } from '../dialogs/look.ts';
import { modelDialog, type Outcome } from '../dialogs/model.ts';
import { edited, lineOf, type TextLine } from '../dialogs/text-line.ts';
import { graphemesOf } from '../text/measure.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Key, Line } from '../view/types.ts';

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

/** The question. With `hidden`, the input is a secret and only its length is visible. */
type TextQuestion = { question: string; hidden?: true; text?: string };

function renderText(line: TextLine, { question, hidden }: TextQuestion, frame: Frame): Line[] {
  const words = rowsOf(visibleText(question).trim(), frame.columns, frame.look.title);
  return [
    ...words.slice(0, Math.max(1, frame.rows - 2)),
    inputRow('› ', hidden ? masked(line) : line, frame),
    keyRow({ enter: 'done', esc: 'back' }, frame),
  ].slice(0, frame.rows);
}

function masked({ text, at }: TextLine): TextLine {
  const dots = (part: string) => '•'.repeat(graphemesOf(part).length);
  return { text: dots(text), at: dots(text.slice(0, at)).length };
}
