import { Text } from 'ink';
import type { ReactNode } from 'react';
import { caret } from '../dialogs/footer.ts';
import { paint } from '../painter/paint.ts';
import { caretAt } from '../view/caret.ts';
import { useRows } from '../view/row-tokens.ts';
import type { Line } from '../view/types.ts';

/** Rows that were made to fit, as they are; the terminal's cursor where one of them has the caret. */
export function DialogRows({ lines }: { lines: readonly Line[] }): ReactNode {
  const drawn = useRows();
  return <Text wrap="truncate-end">{drawn(lines.map(paintedRow))}</Text>;
}

/** An empty row would have no height. */
function paintedRow(line: Line): string {
  const row = line.map((one) => (one.style === caret ? caretAt(one.text) : paint([one]))).join('');
  return row === '' ? ' ' : row;
}
