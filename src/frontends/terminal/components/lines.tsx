import { Text } from 'ink';
import { paint } from '../painter/paint.ts';
import { useRows } from '../view/row-tokens.ts';
import type { Line } from '../view/types.ts';

/** Rows that are already broken to the width of the screen. */
export function Lines({ lines }: { lines: readonly Line[] }) {
  const drawn = useRows();
  if (lines.length === 0) return null;
  return <Text wrap="truncate-end">{drawn(lines.map(paint))}</Text>;
}
