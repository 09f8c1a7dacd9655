import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type NewSessionRequest, RequestError } from '@agentclientprotocol/sdk';
import { byLastUsed } from '../../../app/opening/choose-session.ts';
import type { SessionOptions } from '../../../app/options.ts';
import type { SessionSummary } from '../../../contract/session.ts';
import { atMostEvery } from '../../../lib/async/at-most-every.ts';
import { makePrivateFolder } from '../../../lib/files/private-folder.ts';
import type { AccessEntry } from '../../../observability/audit/access-log.ts';
import { Sessions } from '../../acp/sessions.ts';
import { historyUpdates } from '../../acp/updates/history-updates.ts';
import type { Terminal } from '../../shared/terminal.ts';
import type { SessionOverview } from '../server-methods.ts';
import { AcceptedPrompts } from './accepted-prompts.ts';
import { type HostedOptions, HostedSession, pastDelivery } from './hosted-session.ts';
import { RunningSessions } from './running-sessions.ts';
import type { Delivery } from './watch.ts';

/** Of a prompt in the audit log. */
const PROMPT_CHARACTERS = 200;
/** Sessions in an overview that are not open. */
const MOST_PAST = 200;
/** How often listeners are told that something changed. */
const TOLD_MS = 100;
const LISTED_MS = 1_000;
/** After this time without participants and work, a session is closed to free its memory. */
const IDLE_MS = 30 * 60_000;
const LOOK_MS = 60_000;

type HostedDeps = {
  options: SessionOptions;
  terminal: Terminal;
  /** Aborted when the server ends: what is running then can be continued later. */
  leaving: AbortSignal;
  /** `<data root>/serve`. */
  folder: string;
  audit(entry: AccessEntry): void;
};

/** For viewers, who cause nothing. */
export function notOpen(): RequestError {
  const why = 'This session is not open. Ask its owner or an editor to open it.';
  return RequestError.invalidRequest(undefined, why);
}

/** What is known of a session that was closed because nobody used it. */
type Resting = { choices: Partial<SessionOptions>; overview: SessionOverview };

/** All sessions of the server. A session stays open while somebody uses it, or until someone closes it. */
export class HostedSessions {
  readonly sessions: Sessions;
  readonly #deps: HostedDeps;
  readonly #running: RunningSessions;
  readonly #hosted = new Map<string, HostedSession>();
  /** Those that are being opened. */
  readonly #opening = new Map<string, Promise<HostedSession>>();
  /** Those that are being closed. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #resting = new Map<string, Resting>();
  readonly #listeners = new Set<() => void>();
  #listed: { at: number; sessions: SessionSummary[] } | null = null;
  readonly #changed = atMostEvery(TOLD_MS, () => {
    for (const listener of this.#listeners) listener();
  });
  readonly #looking: NodeJS.Timeout;

  constructor(deps: HostedDeps) {
    const { options, terminal, leaving, folder } = deps;
    this.#deps = deps;
    makePrivateFolder(folder);
    this.#running = RunningSessions.read(path.join(folder, 'running.json'));
    this.sessions = new Sessions({ options, terminal, leaving });
    this.#looking = setInterval(() => this.closeIdle(), LOOK_MS).unref();
  }

  async begin(place: NewSessionRequest, chosen: Partial<SessionOptions> = {}) {
    let hosted: HostedSession | undefined;
    const clientOf = (id: string) => {
      hosted = this.#host(id, { cwd: place.cwd, costUsd: 0 });
      return hosted.room;
    };
    const began = await this.sessions.begin(place, clientOf, chosen);
    if (hosted) this.#opened(began.sessionId, hosted);
    return began;
  }

  /** Opens it first if that is necessary, with these options. */
  async get(id: string, chosen: Partial<SessionOptions> = {}): Promise<HostedSession> {
    const open = this.#hosted.get(id);
    if (open) {
      open.used();
      return open;
    }
    const opening = this.#opening.get(id) ?? this.#reopen(id, chosen).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Undefined if it is not open. */
  find(id: string): HostedSession | undefined {
    return this.#hosted.get(id);
  }

  /** A session that is not open, as it was saved. Nothing is started for it. */
  async saved(id: string): Promise<{ overview: SessionOverview; past: Delivery[] }> {
    const overview = this.overview().find((one) => one.id === id);
    const session = overview && (await this.sessions.store.read(id));
    if (!session) throw RequestError.sessionNotFound(id);
    return { overview, past: historyUpdates(session, session.workingDirectory).map(pastDelivery) };
  }

  async close(id: string): Promise<void> {
    const hosted = this.#hosted.get(id);
    this.#hosted.delete(id);
    this.#listed = null;
    hosted?.release();
    const closing = this.sessions.close(id).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closing);
    hosted?.room.closed();
    await closing;
    await hosted?.settled();
    this.#listChanged();
  }

  async delete(id: string): Promise<void> {
    await this.close(id);
    await this.sessions.delete(id);
    await this.#acceptedIn(id).delete();
    this.#resting.delete(id);
    this.#running.ended(id);
    this.#listChanged();
  }

  /** The open ones first, then the others by their last use. */
  overview(): SessionOverview[] {
    const open = [...this.#hosted.values()].map((hosted) => hosted.overview());
    const past = this.#past()
      .filter(({ id }) => !this.#hosted.has(id))
      .slice(0, MOST_PAST)
      .map(
        ({ id, title, firstPrompt, workingDirectory, costUsd, updatedAt, messageCount }) =>
          ({
            id,
            title: title ?? firstPrompt,
            cwd: workingDirectory,
            state: this.#running.wasInterrupted(id)
              ? 'interrupted'
              : (this.#resting.get(id)?.overview.state ?? (messageCount === 0 ? 'idle' : 'done')),
            costUsd,
            lastLine: this.#resting.get(id)?.overview.lastLine ?? '',
            updatedAt,
            participants: 0,
          }) satisfies SessionOverview,
      );
    return [...open, ...past];
  }

  /** Writes to the audit log what somebody did, without the secrets of the session. */
  audit({ detail, ...entry }: AccessEntry): void {
    const { session = '' } = entry;
    // Hidden before it is cut: a part of a secret cannot be recognised.
    const hidden = detail && (this.#hosted.get(session)?.session.opened.privacy.hide(detail) ?? detail);
    const shown = entry.event === 'prompted' ? hidden?.slice(0, PROMPT_CHARACTERS) : hidden;
    this.#deps.audit({ ...entry, ...(shown !== undefined && { detail: shown }) });
  }

  /** Called when the overview may have changed. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Removes the prompts that wait of people who have no access any more. */
  async dropRevoked(): Promise<void> {
    for (const [id, { session }] of this.#hosted) {
      for (const prompt of session.waiting) {
        if (!prompt.isAllowed || (await prompt.isAllowed())) continue;
        if (!session.takeBack((one) => one === prompt)) continue;
        const detail = `${prompt.from?.name} has no access any more: ${prompt.text}`;
        this.audit({ event: 'refused', session: id, detail });
      }
    }
  }

  /** Frees the memory of sessions without participants and work; they are opened again when somebody comes. */
  closeIdle(afterMs = IDLE_MS): void {
    for (const [id, hosted] of this.#hosted) {
      const { session } = hosted;
      if (!hosted.isIdle(afterMs) || !this.sessions.store.has(id)) continue;
      this.#resting.set(id, { choices: session.choices, overview: hosted.overview() });
      // It is saved, whatever goes wrong with its parts.
      this.close(id).catch(() => undefined);
    }
  }

  /** Interrupts what runs, and saves everything. */
  async closeAll(): Promise<void> {
    clearInterval(this.#looking);
    for (const hosted of this.#hosted.values()) hosted.release();
    await this.sessions.closeAll();
    await Promise.all([...this.#hosted.values()].map((hosted) => hosted.settled()));
    await this.#running.settled();
  }

  /** As it was, if it was closed because nobody used it. */
  async #reopen(sessionId: string, chosen: Partial<SessionOptions>): Promise<HostedSession> {
    await this.#closing.get(sessionId);
    const { choices, overview } = this.#resting.get(sessionId) ?? {};
    const summary = this.#closed().find(({ id }) => id === sessionId);
    if (!summary) throw RequestError.sessionNotFound(sessionId);
    const { workingDirectory: cwd, costUsd } = summary;
    if (!existsSync(cwd))
      throw RequestError.invalidRequest(undefined, `The folder of this session no longer exists: ${cwd}`);
    const hosted = this.#host(sessionId, { cwd, costUsd, ...(overview && { before: overview }) });
    const options = { ...choices, ...chosen };
    await this.sessions.resume({ sessionId, cwd, mcpServers: [] }, () => hosted.room, options);
    this.#opened(sessionId, hosted);
    return hosted;
  }

  #host(id: string, known: Pick<HostedOptions, 'cwd' | 'costUsd' | 'before'>): HostedSession {
    return new HostedSession({
      // Numbers of another server, or of a session that was closed since, mean nothing here.
      epoch: randomUUID().slice(0, 8),
      accepted: this.#acceptedIn(id),
      ...known,
      wasInterrupted: this.#running.wasInterrupted(id),
      onAnswered: (by, event, detail) => this.audit({ event, session: id, by, detail }),
      onChange: () => this.#changed(),
      onTurn: (isRunning) => {
        if (isRunning) this.#running.began(id);
        else if (!this.#deps.leaving.aborted) this.#running.ended(id);
      },
    });
  }

  #acceptedIn(id: string): AcceptedPrompts {
    return new AcceptedPrompts(path.join(this.#deps.folder, 'prompts', `${id}.json`));
  }

  #opened(id: string, hosted: HostedSession): void {
    const session = this.sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    hosted.bind(session);
    this.#hosted.set(id, hosted);
    this.#resting.delete(id);
    this.#changed();
  }

  #listChanged(): void {
    this.#listed = null;
    this.#changed();
  }

  #closed(): SessionSummary[] {
    return this.sessions.store.list(new Set(this.#hosted.keys()));
  }

  /** Read at most once a second, however many clients show the list; those that are open change all the time. */
  #past(): SessionSummary[] {
    const now = performance.now();
    if (!this.#listed || now - this.#listed.at > LISTED_MS) {
      this.#listed = { at: now, sessions: byLastUsed(this.#closed()) };
    }
    return this.#listed.sessions;
  }
}
