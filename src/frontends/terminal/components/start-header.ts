import { isSpacious, type StartFacts, startRows } from '../early/start-rows.ts';
import { fitTo } from '../text/measure.ts';
import type { Room } from '../view/display-lines.ts';
import type { Line } from '../view/types.ts';

const MODEL_ROW = 2;

/** Once they are finished, what is unknown stays so and takes no row. */
export function finishedStartLines(facts: StartFacts, room: Room): Line[] {
  const lines = startLines(facts, room);
  return facts.model === undefined ? lines.toSpliced(MODEL_ROW, 1) : lines;
}

/** Name and version, model and mode, folder and branch, and a tip; nothing on a small screen. */
export function startLines(facts: StartFacts, { columns, rows, theme }: Room): Line[] {
  if (rows !== undefined && !isSpacious({ columns, rows })) return [];
  const style = theme.styles.muted;
  return startRows(facts).map((text) => (text === '' ? [] : [{ text: fitTo(text, columns), style }]));
}
