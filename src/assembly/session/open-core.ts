import { SessionWriter } from '../../agent/session-writer.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { EventChannel } from '../../lib/async/event-channel.ts';
import type { SeenChange } from '../../session/undo/undo-options.ts';
import { undoPlace } from '../../session/undo/undo-place.ts';
import { UndoStore } from '../../session/undo/undo-store.ts';
import { type Notify, notifier } from '../notify.ts';
import type { Parts } from '../parts.ts';
import { createMode, type Mode } from '../window/mode.ts';
import { openLog } from './session-log.ts';

/** Shared by nearly every part of a session. */
export type SessionCore = {
  /** Events for listeners that may join later. */
  events: EventChannel<AgentEvent>;
  notify: Notify;
  writer: SessionWriter;
  undo: UndoStore;
  /** Every change that undo recorded or found on disk. */
  changes: EventChannel<SeenChange>;
  mode: Mode;
};

export function openCore(parts: Parts): SessionCore {
  const { config, cwd, dataRoot, opened, choice } = parts;
  const { session } = opened;
  const events = parts.events ?? new EventChannel<AgentEvent>();
  const notify = notifier(events);
  const log = openLog(config, opened, { provider: choice.preset.name, model: choice.model });
  const writer = new SessionWriter({ session, log, events });
  const changes = new EventChannel<SeenChange>();
  const undo = new UndoStore({
    ...undoPlace(dataRoot, { sessionId: session.id, cwd }),
    roots: [cwd, ...config.additionalDirectories],
    quotaBytes: config.undoLimitMb * 1024 * 1024,
    onTrouble: notify.warn,
    onChange: (change) => changes.emit(change),
  });
  const mode = createMode(config.mode);
  return { events, notify, writer, undo, changes, mode };
}
