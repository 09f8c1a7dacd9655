import { elapsed } from '../../../lib/text/elapsed.ts';
import { sanitize } from '../text/sanitize.ts';
import { wrap } from '../text/wrap.ts';
import type { Room } from '../view/display-lines.ts';
import type { Item, Line, Style } from '../view/types.ts';
import { callLines } from './tool-call.ts';

/** An item as printed to the scrollback, with an empty row before it. */
export function itemLines(item: Item, room: Room): Line[] {
  const { styles } = room.theme;
  switch (item.type) {
    case 'prompt':
      return [[], ...marked(item.text, { mark: '> ', markStyle: styles.accent, style: styles.strong, room })];
    case 'answer':
      return item.first ? [[], ...item.lines] : [...item.lines];
    case 'thought':
      return [[], ...thoughtLines(item, room)];
    case 'call':
      return [[], ...callLines(item, room)];
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
    default:
      return item satisfies never;
  }
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
