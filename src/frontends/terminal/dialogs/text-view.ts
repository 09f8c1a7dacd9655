import { visibleText } from '../../../lib/text/visible-text.ts';
import { graphemesOf } from '../text/measure.ts';
import type { Line } from '../view/types.ts';
import { inputRow, keyRow } from './footer.ts';
import { type Frame, rowsOf } from './look.ts';
import type { TextLine } from './text-line.ts';

/** The question. With `hidden`, the input is a secret and only its length is visible. */
export type TextQuestion = { question: string; hidden?: true; text?: string };

export function renderText(line: TextLine, { question, hidden }: TextQuestion, frame: Frame): Line[] {
  const words = rowsOf(visibleText(question).trim(), frame.columns, frame.look.title);
  return [
    ...words.slice(0, Math.max(1, frame.rows - 2)),
    inputRow('› ', hidden ? masked(line) : line, frame),
    keyRow(
      [
        ['Enter', 'done'],
        ['Esc', 'back'],
      ],
      frame,
    ),
  ].slice(0, frame.rows);
}

function masked({ text, at }: TextLine): TextLine {
  const dots = (part: string) => '•'.repeat(graphemesOf(part).length);
  return { text: dots(text), at: dots(text.slice(0, at)).length };
}
