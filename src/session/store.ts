import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { ToolMessage } from '../contract/message.ts';
import type { Session, SessionSettings, SessionSummary } from '../contract/session.ts';
import { Journal, type JournalRecord, parseJournal } from './journal.ts';

/** `unfinished` is what was under way when the session was last written to. */
export type OpenSession = {
  session: Session;
  journal: Journal;
  unfinished: { started: Set<string>; answered: Map<string, ToolMessage> };
  damaged: number;
};

/** Sessions as files in one folder, `{id}.jsonl` each. */
export class SessionStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A new session. Its file appears with its first record: a session without a message leaves no trace. */
  create(workingDirectory: string, settings: SessionSettings): OpenSession {
    const startedAt = new Date().toISOString();
    const session: Session = {
      id: randomUUID(),
      workingDirectory,
      startedAt,
      messages: [],
      permissions: [],
      settings,
    };
    const journal = new Journal(this.#fileOf(session.id));
    return { session, journal, unfinished: { started: new Set(), answered: new Map() }, damaged: 0 };
  }

  /** By id or by its first characters. Null when there is none. */
  async resume(idOrPrefix: string): Promise<OpenSession | null> {
    const matches = (await this.#ids()).filter((id) => id.startsWith(idOrPrefix));
    if (matches.length > 1) {
      throw new UserError(
        `"${idOrPrefix}" begins the ids of ${matches.length} sessions.`,
        'Give more of the id.',
      );
    }
    const [id] = matches;
    return id === undefined ? null : this.#load(id);
  }

  /** Newest first. */
  async list(): Promise<SessionSummary[]> {
    const sessions = await Promise.all((await this.#ids()).map((id) => this.#load(id)));
    return sessions
      .flatMap((open) => (open ? [open.session] : []))
      .map(({ id, workingDirectory, startedAt, messages }) => ({
        id,
        workingDirectory,
        startedAt,
        messageCount: messages.length,
      }))
      .sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  }

  /** The session of this folder that was written to last. */
  async latest(workingDirectory: string): Promise<OpenSession | null> {
    const files = (await this.#ids()).map(async (id) => ({
      id,
      touched: (await stat(this.#fileOf(id))).mtimeMs,
    }));
    for (const { id } of (await Promise.all(files)).sort((a, b) => b.touched - a.touched)) {
      const open = await this.#load(id);
      if (open?.session.workingDirectory === workingDirectory) return open;
    }
    return null;
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.jsonl`);
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length));
  }

  async #load(id: string): Promise<OpenSession | null> {
    const file = this.#fileOf(id);
    const { records, damaged } = parseJournal(await readFile(file, 'utf8'));
    const session = fold(records);
    return session && { session, journal: new Journal(file), unfinished: unfinishedIn(records), damaged };
  }
}

export function headerOf(session: Session): JournalRecord {
  const { id, workingDirectory, startedAt, settings } = session;
  return { type: 'header', version: 1, id, workingDirectory, startedAt, settings };
}

function fold(records: readonly JournalRecord[]): Session | null {
  const header = records.find((record) => record.type === 'header');
  if (!header) return null;
  const { id, workingDirectory, startedAt, settings } = header;
  const session: Session = { id, workingDirectory, startedAt, settings, messages: [], permissions: [] };
  for (const record of records) {
    if (record.type === 'message') session.messages.push(record.message);
    if (record.type === 'grant') session.permissions.push(record.permission);
  }
  return session;
}

function unfinishedIn(records: readonly JournalRecord[]): OpenSession['unfinished'] {
  const unfinished: OpenSession['unfinished'] = { started: new Set(), answered: new Map() };
  for (const record of records) {
    if (record.type === 'call_started') unfinished.started.add(record.callId);
    else if (record.type === 'call_answered') unfinished.answered.set(record.message.callId, record.message);
    else if (record.type === 'message' && record.message.role === 'tool') {
      unfinished.started.delete(record.message.callId);
      unfinished.answered.delete(record.message.callId);
    }
  }
  return unfinished;
}
