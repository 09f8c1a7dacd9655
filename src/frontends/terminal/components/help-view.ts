import { groupCommands } from '../../../commands/groups.ts';
import type { SlashCommand } from '../../../contract/command.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { wrap } from '../text/wrap.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line } from '../view/types.ts';

/** Longer names stand on a row of their own. */
const WIDEST_NAME = 18;
/** A description beside its name has at least this width. */
const LEAST_ROOM = 30;
const INDENT = '  ';
const KEYS = '? for keys · @ mentions a file · !command runs in your shell';

type Place = { columns: number; theme: Theme };

/** `/help`: commands by group; descriptions are wrapped with a hanging indent. */
export function helpView(commands: readonly SlashCommand[], place: Place): Line[] {
  const { columns, theme } = place;
  const { styles } = theme;
  const longest = Math.max(...commands.map(({ name }) => widthOf(name) + 1));
  const width = Math.min(longest, WIDEST_NAME);
  const groups = groupCommands(commands).flatMap(({ title, commands: listed }): Line[] => [
    [],
    [{ text: fitTo(title, columns), style: styles.heading }],
    ...listed.flatMap((command) => commandRows(command, width, place)),
  ]);
  return [...groups, [], ...wrap([{ text: KEYS, style: styles.muted }], columns)];
}

function commandRows(
  { name, description }: Pick<SlashCommand, 'name' | 'description'>,
  width: number,
  { columns, theme: { styles } }: Place,
): Line[] {
  const typed = `/${sanitize(name)}`;
  const beside = INDENT.length + width + 2;
  const indent = columns - beside >= LEAST_ROOM ? beside : 2 * INDENT.length;
  const words = sanitize(description).replaceAll(/\s+/g, ' ');
  const rows = wrap([{ text: words }], Math.max(2, columns - indent));
  const label = { text: INDENT + fitTo(typed, Math.max(2, columns - INDENT.length)), style: styles.accent };
  const fits = indent === beside && widthOf(typed) <= width;
  const [first = []] = rows;
  const gap = ' '.repeat(Math.max(0, indent - widthOf(label.text)));
  const pad = { text: ' '.repeat(indent) };
  if (!fits) return [[label], ...rows.map((row) => [pad, ...row])];
  return [[label, { text: gap }, ...first], ...rows.slice(1).map((row) => [pad, ...row])];
}
