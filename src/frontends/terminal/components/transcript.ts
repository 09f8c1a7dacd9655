import type { FooterPart } from '../../../app/run-facts/footer.ts';
import { elapsed } from '../../../lib/text/elapsed.ts';
import { sanitize } from '../text/sanitize.ts';
import { widthOfLine, wrap } from '../text/wrap.ts';
import type { Theme } from '../theme/theme.ts';
import type { Room } from '../view/display-lines.ts';
import type { Item, Line, Span, Style } from '../view/types.ts';
import { finishedStartLines } from './start-header.ts';
import { todoChangeLines } from './todos.ts';
import { callLines, exploredRow } from './tool-call.ts';

/** An item as printed to the scrollback, with an empty row before it. */
export function itemLines(item: Item, room: Room): Line[] {
  const { styles } = room.theme;
  switch (item.type) {
    case 'start':
      return finishedStartLines(item.facts, room);
    case 'prompt':
      return [[], ...promptRows(item.text, room)];
    case 'answer':
      return item.first ? [[], ...item.lines] : [...item.lines];
    case 'thought':
      return [[], ...thoughtLines(item, room)];
    case 'call':
      return [[], ...callLines(item, room)];
    case 'explored':
      if (item.folded) return [[], exploredRow(item.steps, room)];
      return item.steps.flatMap((step) => itemLines({ ...step, folded: false }, room));
    case 'notice': {
      const role = { info: 'muted', warn: 'warning', error: 'error' } as const;
      const style = styles[role[item.level]];
      return marked(item.text, { mark: item.level === 'info' ? '· ' : '! ', markStyle: style, style, room });
    }
    case 'printed':
      return sanitize(item.text)
        .split('\n')
        .flatMap((line) => wrap([{ text: line }], room.columns));
    case 'drawn':
      return [...item.draw(room.columns)];
    case 'todos':
      return [[], ...todoChangeLines(item, room)];
    case 'footer':
      return [[], ...wrap(footerSpans(item.parts, room.theme), room.columns)];
    default:
      return item satisfies never;
  }
}

/** On a background of its own, across the whole row. */
function promptRows(text: string, room: Room): Line[] {
  const { accent, strong, prompt } = room.theme.styles;
  const look = { mark: '> ', markStyle: accent, style: strong, room };
  return marked(text, look).map((line) => {
    if (prompt.background === undefined) return line;
    const fill: Span = { text: ' '.repeat(Math.max(0, room.columns - widthOfLine(line))) };
    return [...line, fill].map((span) => ({ ...span, style: { ...span.style, ...prompt } }));
  });
}

/** Muted, except for what needs attention. */
function footerSpans(parts: readonly FooterPart[], { styles }: Theme): Span[] {
  return parts.flatMap(({ text, bad }, i) => [
    ...(i === 0 ? [] : [{ text: ' · ', style: styles.border }]),
    { text: sanitize(text), style: bad ? styles.error : styles.muted },
  ]);
}

function thoughtLines(item: Extract<Item, { type: 'thought' }>, room: Room): Line[] {
  const style = { ...room.theme.styles.muted, italic: true };
  const time = elapsed(item.durationMs);
  if (item.folded) return [[{ text: `∴ Thought for ${time} (ctrl+o)`, style }]];
  return marked(item.text.trim(), { mark: '∴ ', markStyle: style, style, room });
}

type Marked = { mark: string; markStyle: Style; style: Style; room: Room };

/** Text after a mark, with further rows aligned to the first. */
function marked(text: string, { mark, markStyle, style, room }: Marked): Line[] {
  const rows = sanitize(text)
    .split('\n')
    .flatMap((line) => wrap([{ text: line, style }], room.columns - mark.length));
  return rows.map((row, i) => [i === 0 ? { text: mark, style: markStyle } : { text: '  ' }, ...row]);
}
