import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { rowsOf } from '../state/rows.ts';
import type { View } from '../state/view.ts';
import { Chunk } from './chunk.tsx';
import { useStickToEnd } from './stick-to-end.ts';
import { Working } from './working.tsx';

/** Rows in one chunk: chunks far from what is on the screen are not drawn. */
const CHUNK = 10;

type Props = { view: View; header?: ComponentChildren };

/** The conversation. It follows the end unless the user scrolled away from it. */
export function Transcript({ view, header }: Props) {
  const { items, turn, asks, session } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const { isAway, follow } = useStickToEnd(scroller);
  const asked = useMemo(
    () => new Set(asks.map((ask) => (ask.type === 'permission' ? ask.toolCall.toolCallId : ''))),
    [asks],
  );
  useFollowPrompts(view, follow);
  const rows = useMemo(() => rowsOf(items, asked), [items, asked]);
  const starts = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, index) => index * CHUNK);
  return (
    <div class="transcript-frame">
      <div
        class="transcript"
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabIndex={0}
      >
        <div class="column">
          {header}
          {starts.map((start) => (
            <Chunk
              key={rows[start]?.key}
              items={rows.slice(start, start + CHUNK)}
              isLast={start + CHUNK >= rows.length}
              isTurnRunning={turn !== null}
              asked={asked}
              cwd={session?.cwd ?? ''}
              scroller={scroller}
            />
          ))}
          {turn && <Working view={view} />}
        </div>
      </div>
      {isAway && (
        <button type="button" class="to-end" onClick={() => follow()}>
          <Icon name="down" />
          Latest
        </button>
      )}
    </div>
  );
}

/** A prompt that was just sent is shown, wherever the user was; so is the end of another session. */
function useFollowPrompts({ items, session }: View, follow: () => void): void {
  const prompt = items.findLast(({ type }) => type === 'user')?.key ?? 0;
  const id = session?.id;
  useLayoutEffect(() => follow(), [prompt, id]);
}
