import type { SessionLog } from '../../agent/session-log.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type AgentEvent, innermost } from '../../contract/event.ts';
import type { JournalRecord } from '../../session/records.ts';
import { headerOf, type OpenSession } from '../../session/store.ts';

/** The answering model: partial replies are recorded under its name. */
export type AnsweringModel = { provider: string; model: string };

/** The journal, or a no-op if the user disabled history. */
export function openLog(
  { saveHistory }: Pick<Config, 'saveHistory'>,
  opened: Pick<OpenSession, 'session' | 'journal' | 'fence' | 'close'>,
  model: AnsweringModel,
): SessionLog {
  return saveHistory ? sessionLog(opened, model) : forgetful;
}

/**
 * Writes a session through to its journal, header first. Everything survives the end of this process. A crash
 * of the machine is survived by each call that changes something, and everything before it, synced before the
 * call runs; the rest is synced while the model is working.
 */
function sessionLog(
  { session, journal, fence, close }: Pick<OpenSession, 'session' | 'journal' | 'fence' | 'close'>,
  model: AnsweringModel,
): SessionLog {
  let hasStarted = session.messages.length > 0;
  /** Changes before the first message: without one, the session is not saved. */
  const early: JournalRecord[] = fence === undefined ? [] : [{ type: 'fence', token: fence }];
  const header = () => {
    if (hasStarted) return [];
    hasStarted = true;
    const { subagent } = session;
    return [headerOf(session), ...(subagent ? [{ type: 'subagent' as const, ...subagent }] : []), ...early];
  };
  async function later(record: JournalRecord): Promise<void> {
    if (hasStarted) await journal.append(record);
    else early.push(record);
  }
  return {
    async keep() {
      const records = header();
      if (records.length > 0) await journal.append(...records);
    },
    message: (message) => journal.append(...header(), { type: 'message', message }),
    async watch(event) {
      const record = recordOf(event, model);
      if (record) await journal.append(record);
      if (event.type === 'turn_start') journal.beginSync();
    },
    async started(callId, { changes }) {
      await journal.append({ type: 'call_started', callId });
      if (changes) await journal.sync();
    },
    answered: (message) => journal.append({ type: 'call_answered', message }),
    grant: (permission) => journal.append({ type: 'grant', permission }),
    ungrant: (pattern) => journal.append({ type: 'ungrant', pattern }),
    source: (source) => later({ type: 'source', source }),
    view: later,
    close,
  };
}

function recordOf(event: AgentEvent, model: AnsweringModel): JournalRecord | null {
  switch (event.type) {
    case 'turn_start':
      return { type: 'reply', ...model, at: new Date().toISOString() };
    case 'text':
    case 'thinking':
      return { type: 'delta', kind: event.type, text: event.text };
    case 'reclassify':
      return { type: 'reclassify', as: event.as };
    case 'usage':
      return { type: 'cost', costUsd: event.costUsd };
    case 'end':
      return { type: 'end' };
    case 'subagent': {
      // A subagent's messages are saved in its own journal; its cost counts for the session.
      const { event: inner } = innermost(event);
      return inner.type === 'usage' ? recordOf(inner, model) : null;
    }
    default:
      return null;
  }
}

/** Saves nothing. */
const forgetful: SessionLog = {
  keep: async () => undefined,
  message: async () => undefined,
  watch: async () => undefined,
  started: async () => undefined,
  answered: async () => undefined,
  grant: async () => undefined,
  ungrant: async () => undefined,
  source: async () => undefined,
  view: async () => undefined,
  close: async () => undefined,
};
