import {
  type ClientApp,
  type ContentBlock,
  methods,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { ChatEvent, SessionSummary } from '../../../../web/chat/connection.ts';
import type { AgentProcess } from '../agent/agent-process.ts';
import { clientApp, type Documents } from './client-app.ts';
import { EventLog } from './event-log.ts';
import { PendingQuestions } from './pending-questions.ts';
import { ChatUnavailable, type Problem } from './problem.ts';
import { SessionFiles } from './session-files.ts';

const { session: names } = methods.agent;

/** After so many ends within a minute the program is not started again by itself. */
const MAX_RESTARTS = 3;

export type ChatHost = {
  /** Starts the program. Rejects with `ChatUnavailable` if the user has to do something first. */
  start(app: ClientApp): Promise<AgentProcess>;
  place(): { cwd: string; additionalDirectories: string[] };
  documents: Documents;
  /** Whether a run may be stopped. */
  confirmStop(): Promise<boolean>;
  /** The session of this workspace that was used last, in an earlier window too. */
  lastSession: { get(): string | undefined; set(id: string): void };
  onEvent(event: ChatEvent): void;
  onProblem(problem: Problem | null): void;
};

type SessionState = { modes?: SessionModeState | null; configOptions?: SessionConfigOption[] | null };

/** `prompts` are those that are not answered yet. */
type Open = { id: string; cwd: string; prompts: number };

/** What the view, the commands and the review work with, wherever the session runs. */
export type Conversation = { readonly [Member in keyof Chat]: Chat[Member] };

/** A conversation with an agent that this window starts and ends. */
export class Chat {
  readonly #host: ChatHost;
  readonly #log = new EventLog();
  readonly #questions = new PendingQuestions();
  readonly #app: ClientApp;
  readonly files = new SessionFiles({
    isOpen: () => this.#process !== null && this.#session !== null,
    ask: async (method, params) => {
      const { agent, session } = await this.#ready();
      return agent.request(method, { sessionId: session.id, ...params });
    },
    onRestored: (path) => this.#host.documents.reload(path),
    onChanged: () => this.#emit({ type: 'changes_changed' }),
  });
  #process: AgentProcess | null = null;
  #session: Open | null = null;
  #opening: Promise<void> | null = null;
  /** Updates of a session that is not shown yet. */
  #early: { id: string; updates: SessionUpdate[] } | null = null;
  #prompts = 0;
  /** When the program ended by itself, in milliseconds. */
  #ends: number[] = [];

  constructor(host: ChatHost) {
    this.#host = host;
    this.#app = clientApp({
      documents: host.documents,
      questions: this.#questions,
      emit: (event) => this.#emit(event),
      onUpdate: (notification) => this.#updated(notification),
      onChanged: () => this.#emit({ type: 'changes_changed' }),
    });
  }

  /** Everything that a new view has to know. */
  get history(): ChatEvent[] {
    return this.#log.all();
  }

  /** The folder of the session. */
  get cwd(): string {
    return this.#session?.cwd ?? this.#host.place().cwd;
  }

  get isWorking(): boolean {
    return (this.#session?.prompts ?? 0) > 0;
  }

  /** Starts the program and opens a session, unless there is one. */
  open(): Promise<void> {
    if (this.#process && this.#session && !this.#opening) return Promise.resolve();
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async prompt(blocks: ContentBlock[]): Promise<void> {
    const { agent, session } = await this.#ready();
    this.#host.lastSession.set(session.id);
    this.#prompts++;
    const messageId = `prompt-${this.#prompts}`;
    for (const content of blocks)
      this.#emit({ type: 'update', update: { sessionUpdate: 'user_message_chunk', content, messageId } });
    session.prompts++;
    if (session.prompts === 1) this.#emit({ type: 'turn_started' });
    const answered = agent.request(names.prompt, { sessionId: session.id, prompt: blocks });
    void this.#finish(session, answered);
  }

  async cancel(): Promise<void> {
    if (!this.#process || !this.#session) return;
    this.#questions.withdrawAll();
    await this.#process.agent.notify(names.cancel, { sessionId: this.#session.id });
  }

  async setMode(modeId: string): Promise<void> {
    const { agent, session } = await this.#ready();
    await agent.request(names.setMode, { sessionId: session.id, modeId });
  }

  async setOption(configId: string, value: string | boolean): Promise<void> {
    const { agent, session } = await this.#ready();
    const chosen = typeof value === 'boolean' ? { type: 'boolean' as const, value } : { value };
    const { configOptions } = await agent.request(names.setConfigOption, {
      sessionId: session.id,
      configId,
      ...chosen,
    });
    this.#emit({ type: 'update', update: { sessionUpdate: 'config_option_update', configOptions } });
  }

  async answer(requestId: string, answer: string | null): Promise<void> {
    if (!this.#questions.answer(requestId, answer)) throw new Error('This question is no longer open.');
  }

  /** Nobody else takes part. */
  readonly typing: (isTyping: boolean) => void = () => undefined;

  async listSessions(): Promise<SessionSummary[]> {
    const agent = await this.#started();
    const { cwd } = this.#host.place();
    const { sessions } = await agent.request(names.list, { cwd });
    return sessions.map(({ sessionId, title, cwd: folder, updatedAt }) => ({
      id: sessionId,
      title: title ?? null,
      cwd: folder,
      updatedAt: updatedAt ?? undefined,
    }));
  }

  async newSession(): Promise<void> {
    if (await this.#mayLeave()) await this.#create(await this.#started());
  }

  async openSession(id: string): Promise<void> {
    if (id !== this.#session?.id && (await this.#mayLeave())) await this.#load(await this.#started(), id);
  }

  /** Adds to the prompt that is being written. */
  compose(attachments: ContentBlock[], text?: string): void {
    this.#emit({ type: 'compose', attachments, ...(text !== undefined && { text }) });
  }

  async restart(): Promise<void> {
    this.#ends = [];
    await this.stop();
    await this.open();
  }

  /** Ends the program; the session can be resumed. */
  async stop(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    const process = this.#process;
    this.#process = null;
    this.#questions.withdrawAll();
    await process?.stop();
  }

  async #open(): Promise<void> {
    this.#emit({ type: 'connection', state: 'connecting' });
    try {
      const agent = await this.#started();
      const last = this.#session?.id ?? this.#host.lastSession.get();
      if (this.#session) await this.#resume(agent, this.#session);
      else if (last !== undefined) await this.#load(agent, last).catch(() => this.#create(agent));
      else await this.#create(agent);
      this.#host.onProblem(null);
      this.#emit({ type: 'connection', state: 'online' });
    } catch (error) {
      const problem = problemOf(error);
      this.#host.onProblem(problem);
      this.#emit({ type: 'connection', state: 'offline', message: messageOf(error) });
      throw error instanceof ChatUnavailable ? error : new ChatUnavailable(problem);
    }
  }

  async #started() {
    if (!this.#process) {
      const process = await this.#host.start(this.#app);
      this.#process = process;
      void process.ended.then((reason) => this.#ended(process, reason));
    }
    return this.#process.agent;
  }

  async #ready() {
    await this.open();
    if (!this.#process || !this.#session) throw new Error('The session was closed. Try again.');
    return { agent: this.#process.agent, session: this.#session };
  }

  async #create(agent: AgentProcess['agent']): Promise<void> {
    const place = this.#host.place();
    const { sessionId: id, ...state } = await agent.request(names.new, { ...place, mcpServers: [] });
    await this.#show({ id, cwd: place.cwd, prompts: 0 }, state, []);
  }

  /** The conversation comes as updates before the answer. */
  async #load(agent: AgentProcess['agent'], id: string): Promise<void> {
    const place = this.#host.place();
    const early = { id, updates: [] };
    this.#early = early;
    try {
      const state = await agent.request(names.load, { sessionId: id, ...place, mcpServers: [] });
      this.#host.lastSession.set(id);
      await this.#show({ id, cwd: place.cwd, prompts: 0 }, state, early.updates);
    } finally {
      if (this.#early === early) this.#early = null;
    }
  }

  /** Goes on with the session of a program that has ended: the view has its conversation. */
  async #resume(agent: AgentProcess['agent'], { id }: Open): Promise<void> {
    const place = this.#host.place();
    try {
      const { modes, configOptions } = await agent.request(names.resume, {
        sessionId: id,
        ...place,
        mcpServers: [],
      });
      if (modes) {
        const { currentModeId } = modes;
        this.#emit({ type: 'update', update: { sessionUpdate: 'current_mode_update', currentModeId } });
      }
      if (configOptions)
        this.#emit({ type: 'update', update: { sessionUpdate: 'config_option_update', configOptions } });
    } catch (error) {
      // A session without a prompt was never saved.
      if (!(error instanceof RequestError) || error.code !== RequestError.resourceNotFound().code)
        throw error;
      await this.#create(agent);
    }
  }

  async #show(session: Open, state: SessionState, updates: readonly SessionUpdate[]): Promise<void> {
    const left = this.#session;
    this.#session = session;
    this.#questions.withdrawAll();
    const { modes = null, configOptions = null } = state;
    const { id, cwd } = session;
    this.#emit({ type: 'session', session: { id, cwd, modes, configOptions } });
    for (const update of updates) this.#emit({ type: 'update', update });
    this.#emit({ type: 'changes_changed' });
    this.#emit({ type: 'sessions_changed' });
    // So that it can be opened elsewhere.
    if (left && left.id !== id && this.#process)
      await this.#process.agent.request(names.close, { sessionId: left.id }).catch(() => undefined);
  }

  async #mayLeave(): Promise<boolean> {
    return !this.isWorking || this.#host.confirmStop();
  }

  async #finish(session: Open, answered: Promise<PromptResponse>): Promise<void> {
    const end = await answered.then(
      ({ stopReason }): ChatEvent => ({ type: 'turn_ended', stopReason }),
      (error): ChatEvent => ({
        type: 'turn_failed',
        // Any other error is that of a connection that was closed.
        message: error instanceof RequestError ? error.message : 'aca stopped before it could finish.',
      }),
    );
    session.prompts--;
    if (session.prompts === 0 && session === this.#session) this.#emit(end);
  }

  #updated({ sessionId, update }: SessionNotification): void {
    if (sessionId === this.#early?.id) this.#early.updates.push(update);
    else if (sessionId === this.#session?.id) this.#emit({ type: 'update', update });
  }

  /** The program ended. Unless we ended it, it is started again. */
  async #ended(process: AgentProcess, reason: string): Promise<void> {
    if (process !== this.#process) return;
    this.#process = null;
    this.#questions.withdrawAll();
    const now = Date.now();
    this.#ends = [...this.#ends.filter((end) => now - end < 60_000), now];
    if (this.#ends.length > MAX_RESTARTS) {
      this.#host.onProblem({ type: 'stopped', reason });
      this.#emit({ type: 'connection', state: 'offline', message: `aca stopped. ${reason}` });
      return;
    }
    // What cannot be started has been reported.
    await this.open().catch(() => undefined);
  }

  #emit(event: ChatEvent): void {
    this.#log.add(event);
    this.#host.onEvent(event);
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof ChatUnavailable) return error.problem;
  if (error instanceof RequestError && error.code === RequestError.authRequired().code)
    return { type: 'no-model' };
  return { type: 'stopped', reason: messageOf(error) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
