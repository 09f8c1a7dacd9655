import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type NewSessionRequest, RequestError } from '@agentclientprotocol/sdk';
import { byLastUsed } from '../../../app/opening/choose-session.ts';
import type { SessionOptions } from '../../../app/options.ts';
import type { SessionSummary } from '../../../contract/session.ts';
import { atMostEvery } from '../../../lib/async/at-most-every.ts';
import { makePrivateFolder } from '../../../lib/files/private-folder.ts';
import type { AccessEntry } from '../../../observability/audit/access-log.ts';
import { Sessions } from '../../acp/sessions.ts';
import type { Terminal } from '../../shared/terminal.ts';
import type { ParticipantInfo, SessionOverview } from '../server-methods.ts';
import { HostedSession } from './hosted-session.ts';
import { RunningSessions } from './running-sessions.ts';

/** Sessions in an overview that are not open. */
const MOST_PAST = 200;
/** How often listeners are told that something changed. */
const TOLD_MS = 100;
const LISTED_MS = 1_000;

type HostedDeps = {
  options: SessionOptions;
  terminal: Terminal;
  /** Aborted when the server ends: what is running then can be continued later. */
  leaving: AbortSignal;
  /** `<data root>/serve`. */
  folder: string;
  audit(entry: AccessEntry): void;
};

/** All sessions of the server. A session stays open until someone closes it. */
export class HostedSessions {
  readonly sessions: Sessions;
  readonly #deps: HostedDeps;
  readonly #running: RunningSessions;
  readonly #hosted = new Map<string, HostedSession>();
  /** Those that are being opened. */
  readonly #opening = new Map<string, Promise<HostedSession>>();
  readonly #listeners = new Set<() => void>();
  #listed: { at: number; sessions: SessionSummary[] } | null = null;
  readonly #epoch = randomUUID().slice(0, 8);
  readonly #changed = atMostEvery(TOLD_MS, () => {
    for (const listener of this.#listeners) listener();
  });

  constructor(deps: HostedDeps) {
    const { options, terminal, leaving, folder } = deps;
    this.#deps = deps;
    makePrivateFolder(folder);
    this.#running = RunningSessions.read(path.join(folder, 'running.json'));
    this.sessions = new Sessions({ options, terminal, leaving });
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
    if (open) return open;
    const opening = this.#opening.get(id) ?? this.#reopen(id, chosen).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Undefined if it is not open. */
  find(id: string): HostedSession | undefined {
    return this.#hosted.get(id);
  }

  async close(id: string): Promise<void> {
    this.#hosted.delete(id);
    await this.sessions.close(id);
    this.#listChanged();
  }

  async delete(id: string): Promise<void> {
    this.#hosted.delete(id);
    await this.sessions.delete(id);
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
            state: this.#running.wasInterrupted(id) ? 'interrupted' : messageCount === 0 ? 'idle' : 'done',
            costUsd,
            lastLine: '',
            updatedAt,
            participants: 0,
          }) satisfies SessionOverview,
      );
    return [...open, ...past];
  }

  /** Called when the overview may have changed. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Interrupts what runs, and saves everything. */
  async closeAll(): Promise<void> {
    await this.sessions.closeAll();
    await this.#running.settled();
  }

  async #reopen(sessionId: string, chosen: Partial<SessionOptions>): Promise<HostedSession> {
    const summary = this.#closed().find(({ id }) => id === sessionId);
    if (!summary) throw RequestError.sessionNotFound(sessionId);
    const { workingDirectory: cwd, costUsd } = summary;
    const hosted = this.#host(sessionId, { cwd, costUsd });
    await this.sessions.resume({ sessionId, cwd, mcpServers: [] }, () => hosted.room, chosen);
    this.#opened(sessionId, hosted);
    return hosted;
  }

  #host(id: string, { cwd, costUsd }: { cwd: string; costUsd: number | null }): HostedSession {
    return new HostedSession({
      epoch: this.#epoch,
      cwd,
      costUsd,
      wasInterrupted: this.#running.wasInterrupted(id),
      onAnswered: (by, { request }, { choice }) => {
        const event = choice === 'no' ? 'declined' : 'approved';
        this.#audit(event, { id, by, detail: `${request.operation} (${choice})` });
      },
      onChange: () => this.#changed(),
      onTurn: (isRunning) => {
        if (isRunning) this.#running.began(id);
        else if (!this.#deps.leaving.aborted) this.#running.ended(id);
      },
    });
  }

  #opened(id: string, hosted: HostedSession): void {
    const session = this.sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    hosted.bind(session);
    this.#hosted.set(id, hosted);
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

  #audit(event: string, { id, by, detail }: { id: string; by: ParticipantInfo; detail: string }): void {
    this.#deps.audit({ event, session: id, by, detail });
  }
}
