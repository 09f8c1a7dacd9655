import { Box } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Lines } from './components/lines.tsx';
import { liveLines, queueLines } from './components/live-zone.tsx';
import { Spinner } from './components/spinner.tsx';
import { statusLine } from './components/status-bar.tsx';
import { Transcript } from './components/transcript.tsx';
import type { DialogDesk } from './dialog-queue.ts';
import type { Surroundings } from './surroundings.ts';
import { fitTo } from './text/measure.ts';
import { type KeySource, KeySourceContext } from './use-keys.ts';
import { ThemeContext } from './use-theme.ts';
import type { Line, StatusPart, View } from './view/types.ts';
import type { ViewStore } from './view/view-store.ts';

/** Of a screen's rows, those that may change: 22 of 30. */
const LIVE_SHARE = 22 / 30;
const QUEUE_ROWS = 4;

type PromptRoom = { columns: number; rows: number; active: boolean };

type Props = {
  store: ViewStore;
  dialogs: DialogDesk;
  surroundings: Surroundings;
  keys: KeySource;
  statusBar: readonly StatusPart[];
  prompt(room: PromptRoom): ReactNode;
};

/** The layout: what is over goes up into the scrollback; below it what is under way, how things stand, and the prompt. */
export function App({ store, dialogs, surroundings, keys, statusBar, prompt }: Props) {
  const view = useSyncExternalStore(store.subscribe, () => store.view);
  const chapter = useSyncExternalStore(store.subscribe, () => store.chapter);
  const open = useSyncExternalStore(dialogs.subscribe, () => dialogs.current);
  const { columns, rows, theme, highlighter, leaving } = useSyncExternalStore(
    surroundings.subscribe,
    () => surroundings.now,
  );
  const room = { columns, theme, highlighter };
  const live = Math.max(4, Math.floor(rows * LIVE_SHARE));
  const promptRows = Math.max(1, Math.floor(rows / 3));
  const waiting = open ? [] : queueLines(view.queue, { ...room, rows: QUEUE_ROWS });
  const spins = view.run !== null && !open;
  const taken = open ? Math.floor(live / 2) : Math.min(promptRows, 3) + (spins ? 2 : 0) + waiting.length + 2;
  const under = liveLines(view, { ...room, rows: Math.max(1, live - taken) });
  const Dialog = open?.dialog;
  return (
    <ThemeContext.Provider value={theme}>
      <KeySourceContext.Provider value={keys}>
        <Transcript key={chapter} items={view.finished} room={room} />
        {!leaving && (
          <Box flexDirection="column">
            <Lines lines={under} />
            {spins && view.run && <Spinner run={view.run} columns={columns} />}
            <Lines lines={waiting} />
            <Lines lines={[[]]} />
            {open && Dialog && (
              <Dialog
                key={open.number}
                columns={columns}
                rows={Math.max(3, rows - 2 - under.length)}
                onDone={open.onDone}
              />
            )}
            <Box display={open ? 'none' : 'flex'} flexDirection="column">
              {/* Not below: terminals that break rows anew lose count of those below the cursor. */}
              <Lines lines={[headLine(view, { statusBar, ...room })]} />
              {prompt({ columns, rows: promptRows, active: open === null })}
            </Box>
          </Box>
        )}
      </KeySourceContext.Provider>
    </ThemeContext.Provider>
  );
}

type Head = { statusBar: readonly StatusPart[]; columns: number; theme: Surroundings['now']['theme'] };

function headLine({ hint, status }: View, { statusBar, columns, theme }: Head): Line {
  if (hint !== null) return [{ text: fitTo(hint, columns), style: theme.styles.warning }];
  return statusLine(status, { parts: statusBar, columns, theme });
}
