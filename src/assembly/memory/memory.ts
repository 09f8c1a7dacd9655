import path from 'node:path';
import { switchOf } from '../../config/environment.ts';
import type { Memory } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { type TextPart, textOf, typedText, type UserMessage } from '../../contract/message.ts';
import { userDenied } from '../../contract/permission.ts';
import { ownMessages, type SessionSummary } from '../../contract/session.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import { MOST_NOTES, memoryBlock, withoutMemory } from '../../memory/block.ts';
import { correctionsIn } from '../../memory/corrections.ts';
import { newEntry } from '../../memory/entry.ts';
import { isWorthExtracting } from '../../memory/extract.ts';
import { projectKey } from '../../memory/project-key.ts';
import { rankTexts } from '../../memory/select.ts';
import { MemoryStore, type Note } from '../../memory/store.ts';
import { hasVectors } from '../../memory/vectors.ts';
import { SessionStore } from '../../session/store.ts';
import type { RecallSearch } from '../../tools/recall.ts';
import type { GetBackgroundModel } from '../models/background-model.ts';
import type { Parts } from '../parts.ts';
import { createMemoryCommands } from './memory-commands.ts';
import { createNoteExtraction, type NoteExtraction, today } from './note-extraction.ts';
import { createNoteVectors, type NoteVectors } from './note-vectors.ts';
import { createRecallSearch } from './recall-search.ts';
import { createSuggestions, type SuggestionDeps } from './suggestions.ts';

export type MemoryDeps = SuggestionDeps & {
  /** Redacts secrets in a text. */
  hide(text: string): string;
  backgroundModel: GetBackgroundModel;
  notice(text: string): void;
};

/** A prompt may contain a whole file; its topic is usually at the start or end. */
const MOST_COMMANDS = 4;
const QUERY_LIMITS = { max: 3_000, head: 2_000, tail: 800 };

/** Null if disabled. */
export function createMemory(parts: Parts, deps: MemoryDeps): SessionMemory | null {
  const { config, env } = parts;
  const isOn = config.memory.enabled && switchOf(env, 'AI_ASSISTANT_MEMORY') !== false;
  return isOn ? new SessionMemory(parts, deps) : null;
}

/** What a session takes from earlier sessions, and saves for later ones. */
export class SessionMemory {
  readonly commands: Memory;
  readonly recall: RecallSearch;
  readonly #parts: Parts;
  readonly #deps: MemoryDeps;
  readonly #store: MemoryStore;
  readonly #vectors: NoteVectors;
  readonly #extraction: NoteExtraction;
  readonly #cacheFolder: string;
  readonly #closing = new AbortController();
  #isFirstPrompt: boolean;
  #isTidied = false;
  #background: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, deps: MemoryDeps) {
    const { config, cwd, dataRoot, opened } = parts;
    const { session } = opened;
    this.#parts = parts;
    this.#deps = deps;
    this.#cacheFolder = path.join(dataRoot, 'cache');
    this.#isFirstPrompt = session.messages.length === 0;
    const store = new MemoryStore({ folder: path.join(dataRoot, 'memory'), project: cwd });
    const sessions = new SessionStore(config.sessionDirectory ?? path.join(dataRoot, 'sessions'));
    const isOurs = projectTest(cwd);
    const ourSessions = (): SessionSummary[] =>
      sessions.list().filter(({ id, workingDirectory }) => id !== session.id && isOurs(workingDirectory));
    const isClean = (text: string) => this.#isClean(text);
    this.#store = store;
    this.#vectors = createNoteVectors(parts, this.#cacheFolder);
    this.#extraction = createNoteExtraction({
      ...deps,
      ...{ store, sessions, ourSessions, isClean, isTrusted: parts.trusted },
    });
    this.recall = createRecallSearch({
      notes: () => store.list(),
      sessions,
      ourSessions,
      byMeaning: this.#vectors.byMeaning,
      hide: deps.hide,
    });
    this.commands = createMemoryCommands({
      store,
      sessionId: session.id,
      isClean,
      learn: (signal) => this.#extraction.extract(session, AbortSignal.any([signal, this.#closing.signal])),
      suggestions: createSuggestions(parts, { ...deps, store, isOurs }),
    });
  }

  /** The first prompt of a new session with the relevant notes. */
  async withNotes(content: UserMessage['content']): Promise<UserMessage['content']> {
    if (!this.#isFirstPrompt) return content;
    this.#isFirstPrompt = false;
    try {
      const added = await this.#notesFor(textOf({ role: 'user', content, timestamp: '' }));
      return added ? [...content, added] : content;
    } catch (error) {
      this.#deps.notice(`Memory: ${(error as Error).message}`);
      return content;
    }
  }

  /**
   * In the background: notes what the user says about how to work and, after the first reply, removes old
   * notes and extracts notes from the previous session.
   */
  watch(event: AgentEvent): void {
    const said = saidIn(event);
    if (said !== null) this.#inBackground(this.#noteCorrections(said));
    if (event.type !== 'message' || event.message.role !== 'assistant' || this.#isTidied) return;
    this.#isTidied = true;
    this.#inBackground(this.#tidy(this.#closing.signal));
  }

  /** Extracts notes from this session, within the time limit. */
  async atEnd(signal: AbortSignal): Promise<void> {
    const { session } = this.#parts.opened;
    const { messages, id } = session;
    const isDone = this.#extraction.done(id) >= messages.length;
    if (!this.#parts.config.saveHistory || isDone || !isWorthExtracting(ownMessages(session))) return;
    const { notice } = this.#deps;
    notice('Saving memories… (Ctrl+C to skip)');
    // What fails now is retried when the next session starts.
    await this.#extraction.extract(session, signal).catch((error: Error) => {
      if (!signal.aborted) notice(`Memory: ${error.message}`);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#background;
    await this.#vectors.close();
  }

  #isClean(text: string): boolean {
    return !text.includes('[secret:') && this.#deps.hide(text) === text;
  }

  async #notesFor(prompt: string): Promise<TextPart | null> {
    const block = memoryBlock(await this.#relevantNotes(prompt));
    if (!block) return null;
    const { length } = block.included;
    this.#deps.notice(
      `Included ${length === 1 ? 'a note' : `${length} notes`} from earlier sessions (see /memory).`,
    );
    this.#inBackground(this.#store.touch(block.included, today()));
    return { type: 'text', text: block.text };
  }

  async #relevantNotes(prompt: string): Promise<Note[]> {
    const notes = this.#store.list();
    if (notes.length === 0) return [];
    const commands = notes.filter(({ kind }) => kind === 'commands').slice(-MOST_COMMANDS);
    const always = [...notes.filter((note) => note.pinned && note.kind !== 'commands'), ...commands];
    const others = notes.filter(
      ({ kind, pinned }) => !pinned && kind !== 'commands' && kind !== 'corrections',
    );
    const texts = others.map(({ text }) => text);
    const meaning = hasVectors(this.#cacheFolder) ? await this.#vectors.byMeaning() : null;
    const order = await rankTexts(this.#deps.hide(truncateText(prompt, QUERY_LIMITS)), texts, meaning);
    const found = order.slice(0, MOST_NOTES * 2).flatMap((place) => others[place] ?? []);
    return [...always, ...found].filter(({ text }) => this.#isClean(text));
  }

  /** Only proposed: nothing is told to a model before the user has put it into AGENTS.md. */
  async #noteCorrections(prompt: string): Promise<void> {
    if (!this.#parts.config.saveHistory) return;
    const lines = correctionsIn(prompt).filter((line) => this.#isClean(line));
    if (lines.length === 0) return;
    const from = { date: today(), session: this.#parts.opened.session.id.slice(0, 8) };
    const added = await this.#store.add(
      lines.map((line) => ({ kind: 'corrections', ...newEntry(line, from) })),
    );
    if (added.length > 0) this.#deps.notice('Proposed for AGENTS.md (see /learned).');
  }

  async #tidy(signal: AbortSignal): Promise<void> {
    await this.#store.prune(new Date());
    if (this.#parts.config.saveHistory) await this.#extraction.catchUp(signal);
    const notes = this.#store.list();
    if (notes.length === 0) return;
    const found = await this.#vectors.byMeaning();
    await found?.vectors.learn(
      notes.map(({ text }) => text),
      signal,
    );
  }

  /** A failure is reported and has no other effect. */
  #inBackground(work: Promise<unknown>): void {
    const safe = work.catch((error: Error) => {
      if (!this.#closing.signal.aborted) this.#deps.notice(`Memory: ${error.message}`);
    });
    this.#background = Promise.all([this.#background, safe]);
  }
}

/** What the user typed: a prompt, without the files attached to it, or the reason of a no. */
function saidIn(event: AgentEvent): string | null {
  if (event.type === 'judged' && event.by === 'user' && event.because.startsWith(`${userDenied}: `))
    return event.because.slice(userDenied.length + 2);
  if (event.type !== 'message' || event.message.role !== 'user') return null;
  return withoutMemory(typedText(event.message));
}

/** Whether a folder belongs to the project of the working directory. */
function projectTest(cwd: string): (folder: string) => boolean {
  let key: string | undefined;
  return (folder) => {
    key ??= projectKey(cwd);
    return folder === cwd || projectKey(folder) === key;
  };
}
