import { setImmediate as pause } from 'node:timers/promises';
import type { SessionSummary } from '../../contract/session.ts';
import { limited } from '../../lib/async/abort.ts';
import { lineFor, type Passage, passagesOf } from '../../memory/history.ts';
import { type ByMeaning, rankTexts } from '../../memory/select.ts';
import type { Note } from '../../memory/store.ts';
import type { SessionStore } from '../../session/store.ts';
import type { RecallHit, RecallSearch } from '../../tools/recall.ts';

type Sources = {
  notes(): Note[];
  sessions: SessionStore;
  /** Other sessions of this project, newest first. Other projects are not searched. */
  ourSessions(): SessionSummary[];
  byMeaning(): Promise<ByMeaning | null>;
  hide(text: string): string;
};

const READING_MS = 1_500;
const LEARNING_MS = 3_000;
const MOST_PASSAGES = 3_000;

/** Searches notes and earlier sessions, best match first, in bounded time. */
export function createRecallSearch({ notes, sessions, ourSessions, byMeaning, hide }: Sources): RecallSearch {
  async function gather(signal: AbortSignal): Promise<Passage[]> {
    const until = performance.now() + READING_MS;
    const passages: Passage[] = [];
    for (const { id } of ourSessions()) {
      if (performance.now() > until || passages.length > MOST_PASSAGES || signal.aborted) break;
      const earlier = await sessions.read(id);
      if (earlier) passages.push(...passagesOf(earlier.messages, id.slice(0, 8)));
      await pause();
    }
    return passages;
  }

  return async (query, { limit, signal }) => {
    const noted = notes();
    const passages = await gather(signal);
    const texts = [...noted, ...passages].map(({ text }) => text);
    const meaning = texts.length > 0 ? await byMeaning() : null;
    await meaning?.vectors.learn(texts.map(hide), limited(LEARNING_MS, signal));
    const order = await rankTexts(hide(query), texts, meaning);
    const found = order.slice(0, limit).flatMap((place): RecallHit[] => {
      const note = noted[place];
      if (note) return [{ where: `note (${note.kind})`, date: note.date ?? 'undated', text: note.text }];
      const passage = passages[place - noted.length];
      if (!passage) return [];
      const { session, role, date } = passage;
      return [{ where: `session ${session} (${role})`, date, text: lineFor(query, passage) }];
    });
    return found.map((hit) => ({ ...hit, text: hide(hit.text) }));
  };
}
