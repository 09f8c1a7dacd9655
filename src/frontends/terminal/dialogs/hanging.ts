import { exactLine } from '../../../lib/text/visible-text.ts';
import type { Line, Style } from '../view/types.ts';
import { rowsOf, span, textOfLine } from './look.ts';

/** Wrapped rows, indented by the width of the first row's mark. */
export function hanging(
  mark: string,
  text: string,
  { columns, style }: { columns: number; style: Style },
): Line[] {
  // If the indent would take half the row, it is omitted.
  const indent = mark.length * 2 > columns ? '' : ' '.repeat(mark.length);
  return rowsOf(exactLine(text), columns - indent.length, {}).map((row, i) => [
    span((i === 0 && indent !== '' ? mark : indent) + textOfLine(row), style),
  ]);
}
