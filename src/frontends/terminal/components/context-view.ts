import { compactionLine, useTitle } from '../../../commands/context.ts';
import { cellsOf, contextRows, FREE } from '../../../commands/format/context-bar.ts';
import type { WindowUse } from '../../../contract/command.ts';
import { shortCount } from '../../../lib/text/short-count.ts';
import { fitTo } from '../text/measure.ts';
import type { Role, Theme } from '../theme/theme.ts';
import type { Line, Span, Style } from '../view/types.ts';

const WIDEST = 60;
/** Shapes tell the parts apart without colors, too. */
const MARKS: readonly (readonly [shape: string, role: Role])[] = [
  ['█', 'accent'],
  ['▓', 'tag'],
  ['▒', 'keyword'],
  ['▚', 'type'],
  ['▞', 'heading'],
  ['▀', 'warning'],
  ['▄', 'string'],
  ['░', 'number'],
];
const FREE_SHAPE = '·';
const LIMIT_SHAPE = '┆';

type Place = { columns: number; theme: Theme };

/** `/context`: a bar with its legend, the biggest messages, and when older ones are compacted. */
export function contextLines(use: WindowUse, { columns, theme: { styles } }: Place): Line[] {
  const rows = contextRows(use);
  const marks = rows.map(({ name }): { shape: string; style: Style } => {
    const at = use.parts.findIndex((part) => part.name === name);
    const [shape, role] = MARKS[at % MARKS.length] ?? [FREE_SHAPE, 'muted'];
    return name === FREE ? { shape: FREE_SHAPE, style: styles.muted } : { shape, style: styles[role] };
  });
  const width = Math.min(WIDEST, Math.max(1, columns));
  const cells = cellsOf(rows, width);
  const bar = rows.map(
    (_, i): Span => ({ text: (marks[i]?.shape ?? '').repeat(cells[i] ?? 0), ...styled(marks[i]?.style) }),
  );
  const names = Math.max(...rows.map(({ name }) => name.length));
  const legend = rows.map(({ name, tokens, share }, i): Line => {
    const figures = `${shortCount(tokens).padStart(6)}${share.padStart(8)}`;
    const room = Math.max(1, columns - 2);
    return [
      { text: `${marks[i]?.shape ?? ''} `, ...styled(marks[i]?.style) },
      { text: fitTo(`${name.padEnd(names)} ${figures}`, room), ...styled(name === FREE ? styles.muted : {}) },
    ];
  });
  const quiet = (text: string): Line => [{ text: fitTo(text, columns), style: styles.muted }];
  return [
    [],
    [{ text: fitTo(useTitle(use), columns), style: styles.strong }],
    withLimit(bar, { at: Math.round((width * use.compactAt) / use.window), style: styles.muted }),
    ...legend,
    ...(use.biggest.length === 0 ? [] : [quiet('Biggest:')]),
    ...use.biggest.map(({ name, tokens }) => quiet(`${shortCount(tokens).padStart(6)}  ${name}`)),
    quiet(`${LIMIT_SHAPE} ${compactionLine(use)}`),
  ];
}

function styled(style: Style | undefined): { style?: Style } {
  return style && Object.keys(style).length > 0 ? { style } : {};
}

/** Marks the point where older messages are compacted, in the free part, which is the last one. */
function withLimit(bar: Span[], { at, style }: { at: number; style: Style }): Span[] {
  const used = bar.slice(0, -1).reduce((sum, { text }) => sum + text.length, 0);
  const free = bar.at(-1)?.text ?? '';
  const offset = at - used;
  const shown = bar.slice(0, -1).filter(({ text }) => text !== '');
  if (offset < 0 || offset >= free.length) return [...shown, { text: free, ...styled(style) }];
  return [...shown, { text: free.slice(0, offset) + LIMIT_SHAPE + free.slice(offset + 1), ...styled(style) }];
}
