import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { type Message, toolCallsOf } from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import { importedSession } from '../contract/provenance.ts';
import type { Session, SessionSettings, SessionSummary } from '../contract/session.ts';
import { changesTo, rewindView } from '../contract/view.ts';
import { writeAtomic } from '../lib/files/atomic-write.ts';
import { peek } from '../lib/files/peek.ts';
import { readRegularFile } from '../lib/files/regular-file.ts';
import { compareText } from '../lib/text/compare.ts';
import { loadBeforeRewind } from './before-rewind.ts';
import { mapJournal } from './bundle/map-texts.ts';
import { Catalog } from './catalog.ts';
import { GrantSeal } from './grant-seal.ts';
import { readExport } from './import.ts';
import { Journal } from './journal.ts';
import { requireKnownVersion } from './journal-version.ts';
import { removeLeftovers } from './leftovers.ts';
import { loadJournal, sessionFolder, startOfJournal } from './load.ts';
import type { Folded, IsOwnGrant, JournalRecord } from './records.ts';
import { SessionLock } from './session-lock.ts';
import { type SubagentFiles, subagentFiles } from './subagent-files.ts';

/** `unfinished` are the calls that were running when the session was last written to. */
export type OpenSession = {
  session: Session;
  journal: Journal;
  unfinished: Folded['unfinished'];
  /** Resolves when all messages are loaded. Until then a long session has only its last ones. */
  ready: Promise<void>;
  /**
   * Lines of the journal that could not be read, except those reported by an earlier resume. Complete when
   * `ready`.
   */
  damaged: readonly string[];
  /** Grants in the journal that this program did not write; they are ignored. Complete when `ready`. */
  foreign: readonly Permission[];
  subagents: SubagentFiles;
  /** The fencing token that a new session gets with its header. */
  fence?: number;
  /** Writes the documented JSON next to the journal and releases the lock. */
  close(): Promise<void>;
};

/** Sessions as files in one folder: `{id}.jsonl` is authoritative, `{id}.json` a copy for other programs. */
export class SessionStore {
  readonly #folder: string;
  readonly #seal: GrantSeal;
  readonly catalog: Catalog;

  /** `keyFile` holds the key for sealing grants; created with the first one. */
  constructor(folder: string, keyFile = path.join(path.dirname(folder), 'grants.key')) {
    this.#folder = folder;
    this.#seal = new GrantSeal(keyFile);
    this.catalog = new Catalog(folder);
  }

  /** A new session. Its file is created with its first record: a session without a message leaves no file. */
  create(workingDirectory: string, settings: SessionSettings, id: string = randomUUID()): OpenSession {
    const session: Session = {
      id,
      workingDirectory,
      startedAt: new Date().toISOString(),
      messages: [],
      permissions: [],
      settings,
    };
    return this.#opened({
      session,
      unfinished: { started: new Set(), answered: new Map() },
      ready: Promise.resolve(),
      damaged: [],
      foreign: [],
      known: Promise.resolve(0),
      lock: new SessionLock(this.#fileOf(session.id)),
    });
  }

  /** Whether a session has exactly this id. */
  has(id: string): boolean {
    return existsSync(this.#fileOf(id));
  }

  /** By id, id prefix or title. Null if there is none. Throws if it was opened with a newer `fence` before. */
  async resume(wanted: string, fence?: number): Promise<OpenSession | null> {
    const id = await this.find(wanted);
    return id === null ? null : this.#open(id, fence);
  }

  /** The most recently written session of this folder. */
  async latest(workingDirectory: string): Promise<OpenSession | null> {
    const newest = this.list()
      .filter((summary) => summary.workingDirectory === workingDirectory)
      .sort((a, b) => compareText(b.updatedAt, a.updatedAt))[0];
    return newest ? this.#open(newest.id) : null;
  }

  /**
   * A new session with the first `keep` messages of another, or all of them. `rewound`: from the state before
   * its last rewind.
   */
  async fork(
    wanted: string,
    keep?: number,
    { rewound = false }: { rewound?: boolean } = {},
  ): Promise<OpenSession | null> {
    const id = await this.find(wanted);
    const load = rewound ? loadBeforeRewind : loadJournal;
    if (id !== null) requireKnownVersion(startOfJournal(this.#fileOf(id)), id);
    const loaded = id === null ? null : load(this.#fileOf(id), this.#ownGrantCheck(id));
    if (!loaded) return null;
    await loaded.ready;
    const { session } = loaded;
    const messages = session.messages.slice(0, keep);
    const copy = this.create(session.workingDirectory, session.settings);
    const view = session.view && rewindView(session.view, messages.length);
    Object.assign(copy.session, {
      messages,
      permissions: [...session.permissions],
      parent: { id: session.id, messages: messages.length },
      ...(session.title !== undefined && { title: session.title }),
      ...(view && { view }),
      ...(session.sources && { sources: [...session.sources] }),
    });
    const { title, sources = [] } = copy.session;
    const unfinished = unfinishedAfter(messages, loaded);
    await copy.journal.append(
      headerOf(copy.session),
      ...(title === undefined ? [] : [{ type: 'title' as const, title }]),
      ...messages.map((message) => ({ type: 'message' as const, message })),
      ...session.permissions.map((permission) => ({ type: 'grant' as const, permission })),
      ...sources.map((source) => ({ type: 'source' as const, source })),
      ...[...unfinished.started].map((callId) => ({ type: 'call_started' as const, callId })),
      ...[...unfinished.answered.values()].map((message) => ({ type: 'call_answered' as const, message })),
      ...(view ? changesTo(view) : []),
    );
    Object.assign(copy.unfinished, unfinished);
    copy.subagents.copyFrom(this.#subagentsOf(session.id));
    return copy;
  }

  /** Imports an exported session as a new one of this folder. */
  async importFrom(text: string, workingDirectory: string, settings: SessionSettings): Promise<OpenSession> {
    const { id, messages, title } = readExport(text);
    const copy = this.create(workingDirectory, settings);
    copy.session.messages.push(...messages);
    copy.session.parent = { id, messages: messages.length };
    if (title !== undefined) copy.session.title = title;
    const source = importedSession(messages.length);
    copy.session.sources = [source];
    await copy.journal.append(
      headerOf(copy.session),
      { type: 'source', source },
      ...(title === undefined ? [] : [{ type: 'title' as const, title }]),
      ...messages.map((message) => ({ type: 'message' as const, message })),
    );
    return copy;
  }

  /** Newest first. */
  list(without?: ReadonlySet<string>): SessionSummary[] {
    return this.catalog.list(without);
  }

  /** The folder of a session, by id; null if its file no longer contains it. */
  folderOf(id: string): string | null {
    return sessionFolder(this.#fileOf(id));
  }

  /** The complete session, without opening it. Null if there is none. */
  async read(wanted: string): Promise<Session | null> {
    const id = await this.find(wanted);
    const loaded = id === null ? null : loadJournal(this.#fileOf(id));
    await loaded?.ready;
    return loaded ? this.whole(loaded.session) : null;
  }

  /** With the conversations of its subagents. */
  async whole(session: Session): Promise<Session> {
    const subagents = await subagentFiles(this.#subagentsOf(session.id)).all();
    return subagents.length === 0 ? session : { ...session, subagents };
  }

  /** Appends records to a session that may not be open: a title, a pin. */
  async add(wanted: string, ...records: JournalRecord[]): Promise<string | null> {
    const id = await this.find(wanted);
    if (id === null) return null;
    const journal = new Journal(this.#fileOf(id));
    await journal.append(...records);
    await journal.close();
    return id;
  }

  /** Replaces the places that a session mentions, after it was moved. */
  async relocate(id: string, text: (text: string) => string): Promise<void> {
    const file = this.#fileOf(id);
    await writeAtomic(file, mapJournal(readRegularFile(file), { text, keepsSigned: true }), 0o600);
  }

  async delete(wanted: string): Promise<string | null> {
    const id = await this.find(wanted);
    if (id === null) return null;
    const lock = await SessionLock.open(this.#fileOf(id));
    if (!lock) throw openElsewhere(id);
    try {
      for (const file of [this.#fileOf(id), this.#snapshotOf(id), this.#damagedOf(id)])
        rmSync(file, { force: true });
      subagentFiles(this.#subagentsOf(id)).remove();
    } finally {
      lock.release();
    }
    return id;
  }

  /** Resolves an id, id prefix or title to an id. */
  async find(wanted: string): Promise<string | null> {
    const ids = this.catalog.ids();
    const exact = ids.find((id) => id === wanted);
    if (exact !== undefined) return exact;
    const begin = ids.filter((id) => id.startsWith(wanted));
    const titled = begin.length > 0 ? [] : this.#titled(wanted);
    const [id, ...others] = [...begin, ...titled];
    if (others.length > 0) {
      throw new UserError(
        `"${wanted}" matches ${others.length + 1} sessions.`,
        'Use more of the id, or run `aca sessions` to list all sessions.',
      );
    }
    return id ?? null;
  }

  #titled(wanted: string): string[] {
    const title = wanted.toLowerCase();
    return this.list().flatMap((summary) => (summary.title?.toLowerCase() === title ? [summary.id] : []));
  }

  async #open(id: string, fence?: number): Promise<OpenSession | null> {
    const file = this.#fileOf(id);
    requireKnownVersion(startOfJournal(file), id);
    const lock = await SessionLock.open(file);
    if (!lock) throw openElsewhere(id);
    const loaded = loadJournal(file, this.#ownGrantCheck(id));
    if (!loaded) {
      lock.release();
      return null;
    }
    // Under the lock, nobody can open it with a newer one in between. Part of a long journal is not read yet.
    if (fence !== undefined) await loaded.ready;
    if (fence !== undefined && loaded.fence > fence) {
      lock.release();
      throw superseded(id);
    }
    removeLeftovers(file, loaded);
    const known = loaded.ready.then(() => loaded.session.messages.length);
    const setAside = new Set(peek.text(this.#damagedOf(id)).split('\n'));
    const newlyDamaged = () => loaded.damaged.filter((line) => !setAside.has(line));
    const damaged = newlyDamaged();
    const ready = loaded.ready.then(async () => {
      damaged.splice(0, damaged.length, ...newlyDamaged());
      if (damaged.length > 0) await this.#setAside(id, loaded.damaged);
    });
    const opened = this.#opened({ ...loaded, damaged, ready, known, lock });
    if (fence !== undefined) await opened.journal.append({ type: 'fence', token: fence });
    return opened;
  }

  /** `known` is the number of messages in the file. */
  #opened(
    found: Pick<OpenSession, 'session' | 'unfinished' | 'ready' | 'damaged' | 'foreign'> & {
      known: Promise<number>;
      lock: SessionLock;
    },
  ): OpenSession {
    const { session, unfinished, ready, damaged, foreign, known, lock } = found;
    const journal = new Journal(this.#fileOf(session.id), {
      seal: (grant) => this.#seal.seal(session.id, grant),
      check: lock.check,
    });
    const subagents = subagentFiles(this.#subagentsOf(session.id));
    return {
      session,
      journal,
      unfinished,
      ready,
      damaged,
      foreign,
      subagents,
      close: async () => {
        try {
          await ready;
          await journal.close();
          if (session.messages.length > (await known)) {
            await writeAtomic(this.#snapshotOf(session.id), snapshotOf(await this.whole(session)), 0o600);
            this.catalog.note(session.id);
          }
          // A session without a message leaves no files.
          if (!existsSync(journal.file)) subagents.remove();
        } finally {
          lock.release();
        }
      },
    };
  }

  /** Keeps unreadable lines in a separate file for inspection. */
  async #setAside(id: string, damaged: readonly string[]): Promise<void> {
    await writeAtomic(this.#damagedOf(id), `${damaged.join('\n')}\n`, 0o600).catch(
      (error: NodeJS.ErrnoException) => {
        // If nothing can be written, the journal itself still has the lines.
        if (error.code === undefined) throw error;
      },
    );
  }

  /** By file name: a copy of a session is a different session. */
  #ownGrantCheck(id: string): IsOwnGrant {
    return (grant) => this.#seal.holds(id, grant);
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.jsonl`);
  }

  #snapshotOf(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }

  #subagentsOf(id: string): string {
    return path.join(this.#folder, `${id}.subagents`);
  }

  #damagedOf(id: string): string {
    return path.join(this.#folder, `${id}.damaged.txt`);
  }
}

export function headerOf(session: Session): JournalRecord {
  const { id, workingDirectory, startedAt, settings, parent } = session;
  return { type: 'header', version: 1, id, workingDirectory, startedAt, settings, ...(parent && { parent }) };
}

/**
 * Characters that a terminal may interpret and JSON does not escape: non-ASCII controls and bidirectional
 * overrides.
 */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The session as the documented JSON. */
export function snapshotOf(session: Session): string {
  const text = JSON.stringify(session, null, 2);
  return `${text.replaceAll(CONTROL_CHARACTERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** What is known about calls that the first messages leave open, including later answers. */
function unfinishedAfter(
  messages: readonly Message[],
  { session, unfinished }: Folded,
): Folded['unfinished'] {
  const open = new Set(
    messages.flatMap((m) => (m.role === 'assistant' ? toolCallsOf(m) : [])).map(({ id }) => id),
  );
  for (const message of messages) if (message.role === 'tool') open.delete(message.callId);
  const later = session.messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
  const answers = [...later, ...unfinished.answered.values()].filter(({ callId }) => open.has(callId));
  return {
    started: new Set([...unfinished.started].filter((id) => open.has(id))),
    answered: new Map(answers.map((message) => [message.callId, message])),
  };
}

function openElsewhere(id: string): UserError {
  return new UserError(
    `Session ${id.slice(0, 8)} is open in another process.`,
    'Close it first, or continue in a copy with --fork.',
    { exit: 'error' },
  );
}

function superseded(id: string): UserError {
  return new UserError(
    `Another worker has taken session ${id.slice(0, 8)} over.`,
    'It continues there; this one stops.',
    { exit: 'error' },
  );
}
