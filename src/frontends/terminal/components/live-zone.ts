import { steeringPrompts } from '../../../app/conversation/prompt-queue.ts';
import { retryLine } from '../../../commands/format/retry.ts';
import { fitTo } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { wrap } from '../text/wrap.ts';
import type { Room } from '../view/display-lines.ts';
import { isExploring } from '../view/explored.ts';
import type { Line, View } from '../view/types.ts';
import { subagentLines } from './subagents.ts';
import { liveCallLines, liveExploredLines } from './tool-call.ts';

/** Running thoughts show only their last rows. */
const THOUGHT_ROWS = 3;
/** Enough characters to fill these rows. */
const THOUGHT_TAIL = 1_000;

/**
 * Running output, newest last, in at most this many rows: older rows are left out. The subagents stay at its
 * end.
 */
export function liveLines(
  view: Pick<View, 'message' | 'calls' | 'explored' | 'subagents' | 'run'>,
  room: Room & { rows: number; now: number },
): Line[] {
  const { theme, columns, now } = room;
  const retry = view.run?.retry;
  const gap: Line[] = room.rows > 1 && view.subagents.length > 0 ? [[]] : [];
  const tree = subagentLines(view.subagents, { ...room, rows: room.rows - gap.length });
  const rows = room.rows - gap.length - tree.length;
  const delegated = new Set(view.subagents.map(({ path }) => path[0]));
  const explored = liveExploredLines(view, room);
  const others = view.calls.filter((call) => !isExploring(call) && !delegated.has(call.callId));
  const all = [
    ...(explored.length > 0 ? [[], ...explored] : []),
    ...messageLines(view.message, room),
    ...others.flatMap((call) => [[], ...liveCallLines(call, room)]),
    ...(retry
      ? [[{ text: fitTo(retryLine(retry.event, retry.until - now), columns), style: theme.styles.warning }]]
      : []),
  ];
  const newest = all.slice(Math.max(0, all.length - Math.max(0, rows)));
  return [...newest, ...gap, ...tree];
}

function messageLines(message: View['message'], { columns, theme }: Room): Line[] {
  if (!message) return [];
  if (message.type === 'answer') {
    return message.begun || message.tail.length === 0 ? [...message.tail] : [[], ...message.tail];
  }
  const style = { ...theme.styles.muted, italic: true };
  const rows = sanitize(message.text.slice(-THOUGHT_TAIL))
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap([{ text: line, style }], columns - 2));
  return [[], ...rows.slice(-THOUGHT_ROWS).map((row) => [{ text: '∴ ', style }, ...row])];
}

/** Prompts that were typed meanwhile: for the next step of the run, or for after it. */
export function queueLines(
  { queue, run }: Pick<View, 'queue' | 'run'>,
  { columns, theme, rows }: Room & { rows: number },
): Line[] {
  if (queue.length === 0) return [];
  const next = run ? steeringPrompts(queue) : [];
  const style = theme.styles.muted;
  const shown = queue.slice(0, Math.max(1, rows - 1));
  const more = queue.length - shown.length;
  const lines: Line[] = shown.map((prompt) => [
    {
      text: fitTo(`${next.includes(prompt) ? '↳' : '⧗'} ${prompt.text.replaceAll('\n', ' ⏎ ')}`, columns),
      style,
    },
  ]);
  const edit = queue.every(({ isOthers }) => isOthers) ? '' : '; ↑ to edit';
  const words = `  ${more > 0 ? `${more} more. ` : ''}${whenSent(queue.length, next.length)}${edit}`;
  return [...lines, [{ text: fitTo(words, columns), style: theme.styles.border }]];
}

function whenSent(all: number, next: number): string {
  if (next === 0) return 'Queued';
  return next === all
    ? 'Will be sent with the next step'
    : `${next} with the next step, ${all - next} after the run`;
}
