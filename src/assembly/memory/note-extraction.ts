import path from 'node:path';
import { ownMessages, type Session, type SessionSummary } from '../../contract/session.ts';
import { compareText } from '../../lib/text/compare.ts';
import { newEntry } from '../../memory/entry.ts';
import { EXTRACTION_TOKENS, extractionPrompt, isWorthExtracting, parseDrafts } from '../../memory/extract.ts';
import { ExtractedSessions } from '../../memory/extracted.ts';
import type { MemoryStore, Note } from '../../memory/store.ts';
import type { SessionStore } from '../../session/store.ts';
import type { GetBackgroundModel } from '../models/background-model.ts';

export type ExtractionDeps = {
  store: MemoryStore;
  sessions: Pick<SessionStore, 'read'>;
  /** Other sessions of this project. */
  ourSessions(): SessionSummary[];
  backgroundModel: GetBackgroundModel;
  /** Redacts secrets in a text. */
  hide(text: string): string;
  /** Whether a text contains no secret and may be saved as a note. */
  isClean(text: string): boolean;
  notice(text: string): void;
  /** Whether the user wrote the files of the project, or trusts who did. */
  isTrusted: boolean;
};

type Conversation = Pick<Session, 'id' | 'messages' | 'sources'>;

/** Notes that a model extracts from conversations. */
export type NoteExtraction = {
  /** Null if there is no model for it. */
  extract(session: Conversation, signal: AbortSignal): Promise<Note[] | null>;
  /** Extracts from the latest long enough session of this project that has not been processed yet. */
  catchUp(signal: AbortSignal): Promise<void>;
  /** The number of messages of a session already processed. */
  done(sessionId: string): number;
};

const EXTRACTION_WINDOW = 12_000;
/** How many sessions to check per start; short ones are skipped. */
const MAX_SESSIONS = 10;
const RECENT_MS = 30 * 24 * 60 * 60 * 1000;

export function createNoteExtraction(deps: ExtractionDeps): NoteExtraction {
  const { store, sessions, ourSessions, backgroundModel, hide, isClean, notice, isTrusted } = deps;
  const extracted = new ExtractedSessions(path.join(store.folder, '.extracted.jsonl'));

  async function extract(session: Conversation, signal: AbortSignal) {
    const { id, messages, sources = [] } = session;
    const model = await backgroundModel({ window: EXTRACTION_WINDOW });
    if (!model) return null;
    const poisoned = !isTrusted || sources.some(({ kind }) => kind === 'foreign');
    const prompt = hide(extractionPrompt(ownMessages(session), store.list(), { poisoned }));
    const { text } = await model.complete(prompt, { maxTokens: EXTRACTION_TOKENS, signal });
    signal.throwIfAborted();
    const from = { date: today(), session: id.slice(0, 8) };
    const drafts = parseDrafts(text).filter((draft) => isClean(draft.text));
    const added = await store.add(drafts.map(({ kind, text }) => ({ kind, ...newEntry(text, from) })));
    extracted.add(id, messages.length);
    return added;
  }

  return {
    extract,
    done: (id) => extracted.known().get(id) ?? 0,
    async catchUp(signal) {
      const known = extracted.known();
      const waiting = ourSessions()
        .filter(({ id, messageCount }) => messageCount > (known.get(id) ?? 0))
        .filter(({ updatedAt }) => Date.now() - Date.parse(updatedAt) < RECENT_MS)
        .sort((a, b) => compareText(b.updatedAt, a.updatedAt));
      for (const { id, messageCount } of waiting.slice(0, MAX_SESSIONS)) {
        const earlier = await sessions.read(id);
        if (!earlier || !isWorthExtracting(ownMessages(earlier))) {
          extracted.add(id, messageCount);
          continue;
        }
        const added = await extract(earlier, signal);
        if (added && added.length > 0)
          notice(
            `Remembered from an earlier session: ${added.map(({ text }) => text).join(' ')} (see /memory)`,
          );
        return;
      }
    },
  };
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
