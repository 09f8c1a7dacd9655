import { isSpacious, type StartFacts, startRows } from '../early/start-rows.ts';
import { fitTo } from '../text/measure.ts';
import type { Room } from '../view/display-lines.ts';
import type { Line } from '../view/types.ts';

/** Name and version, model and mode, folder and branch, and a tip; nothing on a small screen. */
export function startLines(facts: StartFacts, { columns, rows, theme }: Room): Line[] {
  if (rows !== undefined && !isSpacious({ columns, rows })) return [];
  const style = theme.styles.muted;
  return startRows(facts).map((text) => (text === '' ? [] : [{ text: fitTo(text, columns), style }]));
}
