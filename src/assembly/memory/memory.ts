import path from 'node:path';
import type { SessionLog } from '../../agent/session-log.ts';
import { switchOf } from '../../config/environment.ts';
import type { Memory, NotNoted, RememberedNote } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { type Message, textOf, type UserMessage } from '../../contract/message.ts';
import type { SessionSummary } from '../../contract/session.ts';
import { httpClient } from '../../lib/network/http-client.ts';
import { compareText } from '../../lib/text/compare.ts';
import { boundText } from '../../lib/text/truncate.ts';
import { MOST_NOTES, memoryBlock } from '../../memory/block.ts';
import { newEntry } from '../../memory/entry.ts';
import { EXTRACTION_TOKENS, extractionPrompt, isWorthExtracting, parseDrafts } from '../../memory/extract.ts';
import { ExtractedSessions } from '../../memory/extracted.ts';
import { localEmbedding } from '../../memory/local-embedding.ts';
import { projectKey } from '../../memory/project-key.ts';
import { rankTexts } from '../../memory/select.ts';
import { MemoryStore, type Note } from '../../memory/store.ts';
import { hasVectors, VectorCache, vectorFile } from '../../memory/vectors.ts';
import { SessionStore } from '../../session/store.ts';
import type { RecallSearch } from '../../tools/recall.ts';
import type { Helper } from '../models/background-model.ts';
import { discoverLocal } from '../models/choose-model.ts';
import { embeddedEmbedding } from '../models/embedded-model.ts';
import type { Parts } from '../parts.ts';
import { createRecallSearch } from './recall-search.ts';
import { createSuggestions, type SuggestionDeps } from './suggestions.ts';

type Surroundings = SuggestionDeps & {
  /** Takes secrets out of a text. */
  hide(text: string): string;
  helper: Helper;
  notice(text: string): void;
};

export type Remembering = {
  memory: Memory;
  recall: RecallSearch;
  /** The first prompt of a new session gets its notes before it is written: what is kept is what is sent. */
  log(log: SessionLog): SessionLog;
  /** After the first answer, when nobody waits: old notes go, and the session before this one is gone through. */
  watch(event: AgentEvent): void;
  /** Goes through this session, as far as the time allows. */
  atEnd(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

const QUERY_MS = 400;
/** A prompt may bring a whole file along; what it is about stands at its ends. */
const QUERY_LIMITS = { max: 3_000, head: 2_000, tail: 800 };
const EXTRACTION_WINDOW = 12_000;
/** Sessions too short to teach anything are passed over, so many at a start. */
const MOST_LOOKED_THROUGH = 10;
const RECENT_MS = 30 * 24 * 60 * 60 * 1000;

export function remembers({ config, env }: Pick<Parts, 'config' | 'env'>): boolean {
  return config.memory.enabled && switchOf(env, 'AI_ASSISTANT_MEMORY') !== false;
}

/** Null when it is switched off. */
export function createRemembering(parts: Parts, surroundings: Surroundings): Remembering | null {
  const { config, cwd, dataRoot, opened } = parts;
  if (!remembers(parts)) return null;
  const { hide, helper, notice } = surroundings;
  const { session } = opened;
  const store = new MemoryStore({ folder: path.join(dataRoot, 'memory'), project: cwd });
  const sessions = new SessionStore(config.sessionDirectory ?? path.join(dataRoot, 'sessions'));
  const extracted = new ExtractedSessions(path.join(store.folder, '.extracted.jsonl'));
  const cache = path.join(dataRoot, 'cache');
  const stop = new AbortController();
  let isFirst = session.messages.length === 0;
  let started = false;
  let background: Promise<unknown> | undefined;
  let vectors: Promise<VectorCache | null> | undefined;
  let closeVectors: (() => Promise<void>) | undefined;
  let here: string | undefined;

  const isClean = (text: string) => !text.includes('[secret:') && hide(text) === text;
  const isOurs = (folder: string) => {
    here ??= projectKey(cwd);
    return folder === cwd || projectKey(folder) === here;
  };

  const byMeaning = async () => {
    vectors ??= findVectors(parts, cache, (close) => {
      closeVectors = close;
    });
    const found = await vectors;
    return found && { vectors: found, withinMs: QUERY_MS };
  };

  async function notesFor(prompt: string): Promise<Note[]> {
    const notes = store.list();
    if (notes.length === 0) return [];
    const pinned = notes.filter((note) => note.pinned);
    const others = notes.filter((note) => !note.pinned);
    const texts = others.map(({ text }) => text);
    const meaning = hasVectors(cache) ? await byMeaning() : null;
    const order = await rankTexts(hide(boundText(prompt, QUERY_LIMITS)), texts, meaning);
    const found = order.slice(0, MOST_NOTES * 2).flatMap((place) => others[place] ?? []);
    return [...pinned, ...found].filter(({ text }) => isClean(text));
  }

  async function tellNotes(message: UserMessage): Promise<void> {
    const block = memoryBlock(await notesFor(textOf(message)));
    if (!block) return;
    message.content = [...message.content, { type: 'text', text: block.text }];
    const { length } = block.told;
    notice(
      `${length === 1 ? 'A note' : `${length} notes`} from earlier sessions went along; /memory lists all.`,
    );
    inBackground(store.touch(block.told, today()));
  }

  async function extract(messages: readonly Message[], id: string, signal: AbortSignal) {
    const model = await helper({ window: EXTRACTION_WINDOW });
    if (!model) return null;
    const prompt = hide(extractionPrompt(messages, store.list()));
    const { text } = await model.complete(prompt, { maxTokens: EXTRACTION_TOKENS, signal });
    signal.throwIfAborted();
    const from = { date: today(), session: id.slice(0, 8) };
    const drafts = parseDrafts(text).filter((draft) => isClean(draft.text));
    const added = await store.add(drafts.map(({ kind, text }) => ({ kind, ...newEntry(text, from) })));
    extracted.add(id, messages.length);
    return added;
  }

  /** The last session of this project that is worth it and that nobody went through. */
  async function catchUp(signal: AbortSignal): Promise<void> {
    if (!config.saveHistory) return;
    const known = extracted.known();
    const waiting = ourSessions()
      .filter(({ id, messageCount }) => messageCount > (known.get(id) ?? 0))
      .filter(({ updatedAt }) => Date.now() - Date.parse(updatedAt) < RECENT_MS)
      .sort((a, b) => compareText(b.updatedAt, a.updatedAt));
    for (const { id, messageCount } of waiting.slice(0, MOST_LOOKED_THROUGH)) {
      const earlier = await sessions.read(id);
      if (!earlier || !isWorthExtracting(earlier.messages)) {
        extracted.add(id, messageCount);
        continue;
      }
      const added = await extract(earlier.messages, id, signal);
      if (added && added.length > 0)
        notice(`Noted from an earlier session: ${added.map(({ text }) => text).join(' ')} (/memory)`);
      return;
    }
  }

  function ourSessions(): SessionSummary[] {
    return sessions
      .list()
      .filter(({ id, workingDirectory }) => id !== session.id && isOurs(workingDirectory));
  }

  async function tidy(signal: AbortSignal): Promise<void> {
    await store.prune(new Date());
    await catchUp(signal);
    const notes = store.list();
    if (notes.length === 0) return;
    const found = await byMeaning();
    await found?.vectors.learn(
      notes.map(({ text }) => text),
      signal,
    );
  }

  /** What goes wrong here is told and costs nothing. */
  function inBackground(work: Promise<unknown>): void {
    const safe = work.catch((error: Error) => {
      if (!stop.signal.aborted) notice(`Memory: ${error.message}`);
    });
    background = background ? Promise.all([background, safe]) : safe;
  }

  const noteOf = ({ kind, text }: RememberedNote) =>
    store.list().find((note) => note.kind === kind && note.text === text);
  const changed = async (
    note: RememberedNote,
    change: (found: Note) => Promise<boolean>,
  ): Promise<NotNoted> => {
    const found = noteOf(note);
    return found && (await change(found)) ? null : 'gone';
  };

  return {
    memory: {
      folder: store.folder,
      list: () => store.list(),
      async remember(kind, text) {
        if (!isClean(text)) return 'secret';
        const from = { date: today(), session: session.id.slice(0, 8) };
        const added = await store.add([{ kind, ...newEntry(text, from) }]);
        return added.length > 0 ? null : 'known';
      },
      learn: (signal) => extract(session.messages, session.id, AbortSignal.any([signal, stop.signal])),
      edit: async (note, text) =>
        isClean(text) ? changed(note, (found) => store.edit(found, text)) : 'secret',
      forget: (note) => changed(note, (found) => store.replace(found, () => null)),
      pin: (note, pinned) =>
        changed(note, (found) => store.replace(found, (entry) => ({ ...entry, pinned }))),
      suggestions: createSuggestions(parts, { ...surroundings, store, isOurs }),
    },

    recall: createRecallSearch({ notes: () => store.list(), sessions, ourSessions, byMeaning, hide }),

    log: (log) => ({
      ...log,
      async message(message) {
        if (isFirst && message.role === 'user') {
          isFirst = false;
          await tellNotes(message).catch((error: Error) => notice(`Memory: ${error.message}`));
        }
        return log.message(message);
      },
    }),

    watch(event) {
      if (event.type !== 'message' || event.message.role !== 'assistant' || started) return;
      started = true;
      inBackground(tidy(stop.signal));
    },

    async atEnd(signal) {
      const { messages, id } = session;
      const isKnown = (extracted.known().get(id) ?? 0) >= messages.length;
      if (!config.saveHistory || isKnown || !isWorthExtracting(messages)) return;
      notice('Noting what is worth remembering; Ctrl-C leaves at once.');
      // What cannot be done now is done when the next session begins.
      await extract(messages, id, signal).catch((error: Error) => {
        if (!signal.aborted) notice(`Memory: ${error.message}`);
      });
    },

    async close() {
      stop.abort();
      await background;
      await closeVectors?.();
    },
  };
}

/** Looked for once, and only when there is something to find. */
async function findVectors(
  { config, env, cwd, dataRoot }: Parts,
  cache: string,
  onClose: (close: () => Promise<void>) => void,
): Promise<VectorCache | null> {
  const { embeddings } = config.memory;
  if (embeddings === 'off') return null;
  const servers = (await discoverLocal({ config, env })).map((server) => ({
    ...server,
    models: server.models.map(({ name }) => name),
  }));
  const embedded = async () => {
    const own = await embeddedEmbedding(embeddings, { config, cwd, dataRoot, env });
    if (own) onClose(own.close);
    return own;
  };
  const found = localEmbedding(embeddings, servers, httpClient) ?? (await embedded());
  if (!found) return null;
  return new VectorCache({ file: vectorFile(cache, found.model), embed: found.embed });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
