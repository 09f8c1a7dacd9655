import type { ContentBlock, NewSessionResponse } from '@agentclientprotocol/sdk';
import { type SessionOverview, serverMethods } from '../../../../src/frontends/server/server-methods.ts';
import type { ServerAccess } from '../../../../src/frontends/server/server-socket.ts';
import type { ChatEvent, OpenedSession, SessionSummary } from '../../../../web/chat/connection.ts';
import { type LinkState, ServerLink } from '../../../../web/wire/server-link.ts';
import { SessionLink } from '../../../../web/wire/session-link.ts';
import type { ChatHost, Conversation } from '../chat/chat.ts';
import { EventLog } from '../chat/event-log.ts';
import { SessionFiles } from '../chat/session-files.ts';
import { linkSocket } from './link-socket.ts';

export type AttachedHost = Pick<ChatHost, 'place' | 'documents' | 'onEvent' | 'onProblem'> & {
  /** Throws if there is no server at the moment. Called for each connection. */
  access(): ServerAccess;
  /** Another session is shown. */
  onSession(id: string): void;
};

/** A conversation that goes on in a server. Others may take part in it, and leaving it stops nothing. */
export class AttachedChat implements Conversation {
  readonly #host: AttachedHost;
  readonly #log = new EventLog();
  #link: ServerLink;
  #session: { id: string; link: SessionLink } | null = null;
  #opened: OpenedSession | null = null;
  readonly files = new SessionFiles({
    isOpen: () => this.#opened !== null,
    ask: async (method, params) => (await this.#ready()).extension(method, params),
    onRestored: (path) => this.#host.documents.reload(path),
    onChanged: () => this.#emit({ type: 'changes_changed' }),
  });

  constructor(host: AttachedHost, session?: string) {
    this.#host = host;
    this.#link = this.#newLink();
    if (session !== undefined) this.#show(session);
  }

  get history(): ChatEvent[] {
    return this.#log.all();
  }

  get cwd(): string {
    return this.#opened?.cwd ?? this.#host.place().cwd;
  }

  /** Leaving it stops nothing. */
  get isWorking(): boolean {
    return false;
  }

  /** Resolves when the server has answered, and shows the session, if one was chosen. */
  async open(): Promise<void> {
    const link = this.#link;
    const state = link.state === 'connecting' ? await nextState(link) : link.state;
    if (state === 'signed out')
      throw new Error('The server does not accept this token or invitation. Ask for a new one.');
    if (state !== 'online') throw new Error('The server does not answer. Is it running?');
  }

  async prompt(blocks: ContentBlock[]): Promise<void> {
    const { connection } = await this.#ready();
    if (this.#opened?.role === 'viewer')
      throw new Error('You can only watch this session. Ask its owner for an invitation as editor.');
    await connection.prompt(blocks);
  }

  async cancel(): Promise<void> {
    await this.#session?.link.connection.cancel();
  }

  async setMode(modeId: string): Promise<void> {
    await (await this.#ready()).connection.setMode(modeId);
  }

  async setOption(configId: string, value: string | boolean): Promise<void> {
    await (await this.#ready()).connection.setOption(configId, value);
  }

  async answer(requestId: string, answer: string | null): Promise<void> {
    await (await this.#ready()).connection.answerQuestion(requestId, answer);
  }

  typing(isTyping: boolean): void {
    this.#session?.link.connection.typing?.(isTyping);
  }

  async listSessions(): Promise<SessionSummary[]> {
    await this.open();
    const { sessions } = await this.#link.request<{ sessions: SessionOverview[] }>(
      serverMethods.overview,
      {},
    );
    return sessions.map(({ id, title, cwd, updatedAt, state, costUsd, lastLine }) => ({
      id,
      title: title || null,
      cwd,
      updatedAt,
      state: state === 'interrupted' ? 'failed' : state,
      costUsd: costUsd ?? undefined,
      lastLine,
    }));
  }

  async newSession(): Promise<void> {
    await this.open();
    const { cwd } = this.#host.place();
    const { sessionId } = await this.#link.request<NewSessionResponse>('session/new', {
      cwd,
      mcpServers: [],
    });
    this.#show(sessionId);
  }

  async openSession(id: string): Promise<void> {
    if (id !== this.#session?.id) this.#show(id);
    await this.open();
  }

  compose(attachments: ContentBlock[], text?: string): void {
    this.#emit({ type: 'compose', attachments, ...(text !== undefined && { text }) });
  }

  async restart(): Promise<void> {
    const session = this.#session?.id;
    await this.stop();
    this.#host.onProblem(null);
    this.#link = this.#newLink();
    if (session !== undefined) this.#show(session);
    await this.open();
  }

  /** Leaves the session. */
  async stop(): Promise<void> {
    this.#session?.link.close();
    this.#session = null;
    this.#link.close();
  }

  async #ready(): Promise<SessionLink> {
    await this.open();
    if (!this.#session) throw new Error('Choose a session of the server first.');
    return this.#session.link;
  }

  #newLink(): ServerLink {
    const link = new ServerLink({
      name: 'vscode',
      open: (onRefused) => linkSocket(this.#host.access(), onRefused),
    });
    link.listen({
      onState: (state) => {
        if (state === 'signed out') this.#host.onProblem({ type: 'refused' });
      },
    });
    return link;
  }

  #show(id: string): void {
    this.#session?.link.close();
    this.#opened = null;
    const link = new SessionLink({
      link: this.#link,
      sessionId: id,
      openSession: (other) => void this.openSession(other),
      newSession: () => void this.newSession(),
      // The view opens links itself.
      openLink: () => undefined,
    });
    this.#session = { id, link };
    link.connection.onEvent((event) => {
      if (this.#session?.link === link) this.#told(event);
    });
    this.#host.onSession(id);
    link.start();
  }

  #told(event: ChatEvent): void {
    if (event.type === 'session') {
      this.#opened = event.session;
      this.#host.onProblem(null);
    }
    this.#emit(event);
  }

  #emit(event: ChatEvent): void {
    this.#log.add(event);
    this.#host.onEvent(event);
  }
}

function nextState(link: ServerLink): Promise<LinkState> {
  return new Promise((resolve) => {
    const stop = link.listen({
      onState: (state) => {
        stop();
        resolve(state);
      },
    });
  });
}
