import { setImmediate as nextRound } from 'node:timers/promises';
import { sessionHead } from '../../app/conversation/last-exchange.ts';
import { pastCall } from '../../app/conversation/past-calls.ts';
import type { Opened } from '../../app/open-assistant.ts';
import type { Message, ToolMessage } from '../../contract/message.ts';
import { counted } from '../../lib/text/counted.ts';
import { itemLines } from './components/transcript.ts';
import type { Screen } from './screen.ts';
import type { Room } from './view/display-lines.ts';
import { isExplored } from './view/explored.ts';
import { type HistoryParts, messageItems } from './view/history-items.ts';
import type { Item } from './view/types.ts';

/** How much of a resumed conversation is shown, in screens. */
const SCREENS = 2;

/** Shows the end of a resumed conversation, as it looked when it was left. */
export async function repaintConversation({ controller, opened }: Opened, screen: Screen): Promise<void> {
  const { session } = controller;
  const { now } = screen.surroundings;
  const { items, earlier } = lastItems(session.messages, {
    room: now,
    rows: now.rows * SCREENS,
    markdown: (text) => screen.markdown.render(text),
  });
  const isWhole = await Promise.race([opened.ready.then(() => true), nextRound(false)]);
  const before = earlierMessages(earlier, { isWhole });
  const head: Item[] = [sessionHead(session), ...before].map((text) => ({ type: 'printed', text }));
  screen.store.dispatch({ type: 'restored', items: [...head, ...items] });
}

/** The start of a long session is still being read, so that its messages cannot be counted. */
function earlierMessages(count: number, { isWhole }: { isWhole: boolean }): string[] {
  if (!isWhole) return ['… earlier messages (ctrl+o)'];
  return count === 0 ? [] : [`… ${counted(count, 'earlier message')} (ctrl+o)`];
}

type Wanted = Pick<HistoryParts, 'markdown'> & { room: Room; rows: number };

/** The last items that fill these rows, and the number of messages before them. Nothing else is rendered. */
export function lastItems(
  messages: readonly Message[],
  { room, rows, markdown }: Wanted,
): { items: Item[]; earlier: number } {
  const answers = new Map<string, ToolMessage>();
  const items: Item[] = [];
  const shown = room.shownPath ?? ((path: string) => path);
  const parts: HistoryParts = {
    answerTo: (id) => answers.get(id),
    describe: (call) => pastCall(call, shown),
    markdown,
    folded: true,
  };
  let height = 0;
  let earlier = messages.length;
  while (earlier > 0 && height < rows) {
    earlier -= 1;
    const message = messages[earlier];
    if (message?.role === 'tool') answers.set(message.callId, message);
    else if (message) {
      const own = messageItems(message, parts).filter(({ type }) => type !== 'thought');
      items.unshift(...own.map((item) => shortened(item, rows)));
      height += own.reduce((sum, item) => sum + rowsOf(item, room), 0);
    }
  }
  return { items, earlier };
}

/** Calls that only look at something are shown as one, however many they are. */
function rowsOf(item: Item, room: Room): number {
  return isExplored(item) ? 0 : itemLines(item, room).length;
}

/** An answer longer than all there is room for is shown from its end. */
function shortened(item: Item, rows: number): Item {
  return item.type === 'answer' ? { ...item, lines: item.lines.slice(-rows) } : item;
}
