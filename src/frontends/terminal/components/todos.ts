import { fitTo } from '../text/measure.ts';
import type { Role } from '../theme/theme.ts';
import type { Room } from '../view/display-lines.ts';
import { TODO_MARKS } from '../view/todos.ts';
import type { Line, Todo, TodoChanges } from '../view/types.ts';

const ROLES = { pending: 'text', in_progress: 'strong', done: 'muted' } satisfies Record<
  Todo['status'],
  Role
>;

/** The open list while a run goes, in at most this many rows: around the first open item if it is longer. */
export function pinnedTodos(
  items: readonly Todo[],
  { columns, theme, rows }: Room & { rows: number },
): Line[] {
  const first = items.findIndex(({ status }) => status !== 'done');
  if (first === -1 || rows < 1) return [];
  const current = items.findIndex(({ status }) => status === 'in_progress');
  const room = items.length <= rows ? items.length : Math.max(1, rows - 1);
  // With the last finished item before it, if there is room for it.
  const wanted = (current === -1 ? first : current) - (room > 2 ? 1 : 0);
  const from = Math.max(0, Math.min(wanted, items.length - room));
  const shown = items.slice(from, from + room);
  const more = items.length - shown.length;
  return [
    ...shown.map(({ text, status }): Line => {
      const words = fitTo(`  ${TODO_MARKS[status]} ${oneLine(text)}`, columns);
      return [{ text: words, style: theme.styles[ROLES[status]] }];
    }),
    ...(more === 0 || rows === 1
      ? []
      : [[{ text: fitTo(`  +${more} more`, columns), style: theme.styles.border }]]),
  ];
}

/** One row for what is done, and one each for what was added and removed. */
export function todoChangeLines({ done, added, removed }: TodoChanges, { columns, theme }: Room): Line[] {
  const row = (mark: string, role: Role, texts: readonly string[]): Line[] => {
    if (texts.length === 0) return [];
    const words = fitTo(texts.map(oneLine).join(' · '), columns - 2);
    return [
      [
        { text: `${mark} `, style: theme.styles[role] },
        { text: words, style: theme.styles[role === 'muted' ? 'muted' : 'text'] },
      ],
    ];
  };
  return [
    ...row(TODO_MARKS.done, 'success', done),
    ...row(TODO_MARKS.pending, 'accent', added),
    ...row('−', 'muted', removed),
  ];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
