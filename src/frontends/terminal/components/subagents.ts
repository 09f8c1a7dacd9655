import { counted } from '../../../lib/text/counted.ts';
import { elapsed } from '../../../lib/text/elapsed.ts';
import { shortCount } from '../../../lib/text/short-count.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Room } from '../view/display-lines.ts';
import { inTreeOrder, type Subagent } from '../view/subagents.ts';
import type { Line } from '../view/types.ts';
import { CALL_MARKS } from './tool-call.ts';

const INDENT = 2;
/** Columns a name keeps before its facts are dropped. */
const FEWEST_NAME = 12;

type TreeRoom = Room & { rows: number; now: number };

/**
 * The subagents as a tree: two rows for one that works, one for one that has finished. Where there is no
 * room, each gets one row, and the last ones are only counted.
 */
export function subagentLines(subagents: readonly Subagent[], room: TreeRoom): Line[] {
  const ordered = inTreeOrder(subagents);
  const both = ordered.flatMap((one) => [headLine(one, room), ...doingLine(one, room)]);
  if (both.length <= room.rows) return both;
  if (ordered.length <= room.rows) return ordered.map((one) => headLine(one, room));
  const shown = ordered.slice(0, Math.max(0, room.rows - 1));
  const rest = ordered.length - shown.length;
  const more = fitTo(shown.length === 0 ? `${rest} subagents` : `+${rest} more`, room.columns);
  return [...shown.map((one) => headLine(one, room)), [{ text: more, style: room.theme.styles.border }]];
}

/** `⠿ general: fix the tests · 5 calls · 12k tokens · 22s` */
function headLine(subagent: Subagent, { columns, theme, now }: TreeRoom): Line {
  const { styles } = theme;
  const { name, calls, tokens, startedAt, ended } = subagent;
  const { mark, role } = CALL_MARKS[ended ? (ended.success ? 'done' : 'failed') : 'running'];
  const facts = [
    counted(calls, 'call'),
    ...(tokens === 0 ? [] : [`${shortCount(tokens)} tokens`]),
    elapsed(Math.max(1000, (ended?.at ?? now) - startedAt)),
  ];
  const words = ` · ${facts.join(' · ')}`;
  const indent = indentOf(subagent);
  const room = columns - indent.length - 2;
  const fits = room - widthOf(words) >= FEWEST_NAME;
  return [
    { text: indent },
    { text: `${mark} `, style: styles[role] },
    { text: fitTo(name, room - (fits ? widthOf(words) : 0)), style: ended ? styles.muted : styles.strong },
    ...(fits ? [{ text: words, style: styles.muted }] : []),
  ];
}

function doingLine(subagent: Subagent, { columns, theme }: TreeRoom): Line[] {
  if (subagent.ended) return [];
  const { doing } = subagent;
  const indent = `${indentOf(subagent)}  `;
  const words = fitTo(`${doing.charAt(0).toUpperCase()}${doing.slice(1)}`, columns - indent.length);
  return [[{ text: indent }, { text: words, style: theme.styles.muted }]];
}

function indentOf({ path }: Subagent): string {
  return ' '.repeat(INDENT * (path.length - 1));
}
