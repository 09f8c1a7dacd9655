import type {
  ContentBlock,
  CreateElicitationRequest,
  RequestPermissionRequest,
  SessionNotification,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import {
  CHANGES_CHANGED,
  type ExtensionRequests,
  extensionMethods,
} from '../../src/frontends/acp/extension-methods.ts';
import {
  type AttachResult,
  type ParticipantsChanged,
  type Position,
  type PromptMeta,
  type SessionTurnEvent,
  type SessionUpdates,
  serverMethods,
  serverNotifications,
  type Typing,
  type UpdateMeta,
} from '../../src/frontends/server/server-methods.ts';
import type { ChatConnection, ChatEvent, PermissionAsked } from '../chat/connection.ts';
import { changedFiles } from '../chat/diff/changed-files.ts';
import { PendingPrompts } from './pending-prompts.ts';
import { Questions } from './questions.ts';
import type { ServerLink } from './server-link.ts';

/** For those who only watch: they see what is asked, and how somebody answered. */
const OPTIONS: PermissionAsked['options'] = [
  { optionId: 'once', kind: 'allow_once', name: 'Yes' },
  { optionId: 'session', kind: 'allow_always', name: 'Yes, for this session' },
  { optionId: 'always', kind: 'allow_always', name: 'Yes, always' },
  { optionId: 'no', kind: 'reject_once', name: 'No' },
];
const FILES = 50;

export type SessionLinkOptions = {
  link: ServerLink;
  sessionId: string;
  openSession(id: string): void;
  newSession(): void;
  openLink(url: string): void;
};

/** One session of the server, for the chat. It survives lost connections: every event reaches the chat once. */
export class SessionLink {
  readonly #link: ServerLink;
  readonly #id: string;
  readonly #options: SessionLinkOptions;
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  readonly #questions = new Questions((event) => this.#emit(event));
  readonly #prompts = new PendingPrompts({
    request: (promptId, prompt) => {
      const aca: PromptMeta = { promptId };
      return this.#request('session/prompt', { prompt, _meta: { aca } });
    },
    onChange: (prompts) => {
      const sending = prompts.map((blocks) => ({ text: textOf(blocks) }));
      this.#emit({ type: 'prompts_sending', prompts: sending });
    },
  });
  readonly #calls = new Map<string, ToolCallUpdate>();
  #stop: () => void = () => undefined;
  #joined: AttachResult | null = null;
  /** Null until everything of the past has come. */
  #position: Position | null = null;
  /** What has come of the past: the chat gets it as one, and draws only its end. */
  #past: ChatEvent[] | null = null;
  /** What has come since the session was joined, until the answer to that says what it is. */
  #early: (() => void)[] | null = null;

  constructor(options: SessionLinkOptions) {
    this.#options = options;
    this.#link = options.link;
    this.#id = options.sessionId;
  }

  /** Call it when everyone listens. */
  start(): void {
    this.#stop = this.#link.listen({
      onState: () => this.#connected(),
      onNotification: (method, params) => this.#told(method, params),
      onRequest: (method, params, signal) => this.#asked(method, params, signal),
    });
    this.#connected();
  }

  close(): void {
    this.#stop();
    this.#prompts.refuseAll(new Error('The session was closed before the message was sent.'));
    this.#link.request(serverMethods.detach, { sessionId: this.#id }).catch(() => undefined);
  }

  /** Goes on with a run that was cut off when the server ended. */
  async resumeRun(): Promise<void> {
    await this.#begun(this.#request(serverMethods.resumeRun, {}));
  }

  readonly connection: ChatConnection = {
    onEvent: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    prompt: (prompt) => this.#prompts.send(prompt),
    cancel: async () => this.#link.notify('session/cancel', { sessionId: this.#id }),
    setMode: (modeId) => this.#request('session/set_mode', { modeId }),
    setOption: (configId, value) => this.#request('session/set_config_option', { configId, value }),
    answerPermission: async (requestId, optionId) => this.#questions.answer(requestId, optionId),
    answerQuestion: async (requestId, answer) => this.#questions.answer(requestId, answer),
    typing: (isTyping) =>
      this.#link.notify(serverNotifications.typing, { sessionId: this.#id, isTyping } satisfies Typing),
    completeFile: async (query) => {
      const { paths } = await this.extension(extensionMethods.completeFile, { query, limit: FILES });
      return paths.map((path) =>
        path.endsWith('/') ? { path: path.slice(0, -1), isFolder: true } : { path },
      );
    },
    listSessions: async () => [],
    openSession: async (id) => this.#options.openSession(id),
    newSession: async () => this.#options.newSession(),
    changes: async () => changedFiles((await this.extension(extensionMethods.listChanges, {})).files),
    acceptHunks: async (path, hunks) => {
      await this.extension(extensionMethods.acceptChanges, { path, hunks });
    },
    revertHunks: async (path, hunks) => {
      const { kept } = await this.extension(extensionMethods.revertChanges, { path, hunks });
      const [left] = kept;
      if (left) throw new Error(`${left.path} was left as it is: ${left.because}`);
    },
    openLink: async (url) => this.#options.openLink(url),
  };

  /** What the agent offers beyond the protocol. */
  extension<Name extends keyof ExtensionRequests>(
    method: Name,
    params: Omit<ExtensionRequests[Name]['params'], 'sessionId'>,
  ): Promise<ExtensionRequests[Name]['result']> {
    return this.#request<ExtensionRequests[Name]['result']>(method, params);
  }

  async #request<Result = void>(method: string, params: object): Promise<Result> {
    return this.#link.request<Result>(method, { sessionId: this.#id, ...params });
  }

  /** A run is answered when it ends. It has begun as soon as something happens. */
  async #begun(answer: Promise<unknown>): Promise<void> {
    let stop: () => void = () => undefined;
    const happened = new Promise<void>((resolve) => {
      stop = this.connection.onEvent(({ seq }) => seq !== undefined && resolve());
    });
    try {
      await Promise.race([answer, happened]);
    } finally {
      stop();
      // The events of the session tell how the turn ended.
      answer.catch(() => undefined);
    }
  }

  #emit(event: ChatEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #connected(): void {
    const { state } = this.#link;
    if (state === 'signed out')
      this.#prompts.refuseAll(new Error('You are signed out. Sign in again first.'));
    if (state === 'online') void this.#attach();
    else this.#emit({ type: 'connection', state: state === 'connecting' ? 'connecting' : 'offline' });
  }

  async #attach(): Promise<void> {
    const after = this.#position ?? undefined;
    const early: (() => void)[] = [];
    this.#early = early;
    try {
      const joined = await this.#request<AttachResult>(serverMethods.attach, { after, batches: true });
      if (this.#early !== early) return;
      this.#joined = joined;
      this.#early = null;
      this.#emit({ type: 'connection', state: 'online' });
      this.#emit({ type: 'participants', participants: this.#joined.participants });
      this.#emit({ type: 'changes_changed' });
      for (const take of early) take();
      this.#prompts.sendAgain();
    } catch (error) {
      if (this.#early === early) this.#early = null;
      const message = error instanceof Error ? error.message : String(error);
      if (this.#link.state === 'online') this.#emit({ type: 'connection', state: 'offline', message });
    }
  }

  #told(method: string, params: unknown): void {
    if ((params as { sessionId?: string }).sessionId !== this.#id) return;
    if (this.#early) this.#early.push(() => this.#take(method, params));
    else this.#take(method, params);
  }

  #take(method: string, params: unknown): void {
    switch (method) {
      case 'session/update':
        this.#updated(params as SessionNotification);
        return;
      case serverNotifications.updates:
        for (const one of (params as SessionUpdates).updates) this.#updated({ sessionId: this.#id, ...one });
        return;
      case serverNotifications.participants:
        this.#emit({ type: 'participants', participants: (params as ParticipantsChanged).participants });
        return;
      case serverNotifications.typing: {
        const { participant, isTyping } = params as Typing;
        if (participant) this.#emit({ type: 'typing', participant: participant.id, isTyping });
        return;
      }
      case CHANGES_CHANGED:
        this.#emit({ type: 'changes_changed' });
    }
  }

  #asked(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | undefined {
    if ((params as { sessionId?: string }).sessionId !== this.#id) return undefined;
    if (method === 'session/request_permission')
      return this.#questions.approve(params as RequestPermissionRequest, signal);
    if (method === 'elicitation/create')
      return this.#questions.ask(params as CreateElicitationRequest, signal);
    return undefined;
  }

  #updated({ update, _meta }: SessionNotification): void {
    const { event, seq, by, at, promptId, decision } = (_meta?.aca ?? {}) as UpdateMeta;
    if (promptId !== undefined) this.#prompts.accepted(promptId);
    if (seq !== undefined && this.#position) {
      if (seq <= this.#position.seq) return;
      this.#position = { ...this.#position, seq };
    }
    const about = {
      ...(seq !== undefined && { seq }),
      ...(by !== undefined && { by }),
      ...(at !== undefined && { at }),
    };
    if (event) {
      this.#happened(event, about);
      return;
    }
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
      this.#calls.set(update.toolCallId, { ...this.#calls.get(update.toolCallId), ...update });
    this.#emitInOrder({ type: 'update', update, ...about });
    if (!decision || update.sessionUpdate !== 'tool_call') return;
    const option = OPTIONS.find(({ optionId }) => optionId === decision.optionId) ?? null;
    this.#emitInOrder({ type: 'call_decided', callId: update.toolCallId, option, by: decision.by });
  }

  #happened(event: SessionTurnEvent, about: Pick<ChatEvent, 'seq' | 'by' | 'at'>): void {
    switch (event.type) {
      case 'reset':
        this.#reset();
        return;
      case 'caught_up':
        this.#caughtUp();
        return;
      case 'permission_asked': {
        const { requestId, toolCallId } = event;
        const toolCall = this.#calls.get(toolCallId) ?? { toolCallId };
        // Whoever may answer is asked by a request of its own.
        if (this.#joined?.role === 'viewer')
          this.#emitInOrder({
            type: 'permission_asked',
            request: { requestId, toolCall, options: OPTIONS },
            ...about,
          });
        return;
      }
      case 'question_asked': {
        const { requestId, question } = event;
        if (this.#joined?.role === 'viewer')
          this.#emitInOrder({
            type: 'question_asked',
            request: { requestId, question, choices: [] },
            ...about,
          });
        return;
      }
      case 'rewound':
        // The conversation follows as it is now.
        return;
      case 'prompts_waiting':
        for (const { promptId } of event.prompts)
          if (promptId !== undefined) this.#prompts.accepted(promptId);
        this.#emitInOrder({ ...event, ...about });
        return;
      default:
        if (event.type.startsWith('turn_')) this.#calls.clear();
        this.#emitInOrder({ ...event, ...about });
    }
  }

  #emitInOrder(event: ChatEvent): void {
    if (this.#past) this.#past.push(event);
    else this.#emit(event);
  }

  #reset(): void {
    this.#position = null;
    this.#past = [];
    this.#calls.clear();
    if (!this.#joined) return;
    const { title, cwd, modes, configOptions, role, you, participants, readOnly } = this.#joined;
    this.#emit({
      type: 'session',
      session: { id: this.#id, title, cwd, modes, configOptions, role, you, readOnly },
    });
    this.#emit({ type: 'participants', participants });
    for (const asked of this.#questions.asked) this.#emit(asked);
  }

  #caughtUp(): void {
    const past = this.#past ?? [];
    this.#past = null;
    for (const event of past) this.#emit(event);
    if (!this.#joined) return;
    const { epoch, seq, state } = this.#joined;
    this.#position = { epoch, seq };
    if (state === 'working' || state === 'waiting') this.#emit({ type: 'turn_started' });
  }
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '[image]')).join(' ');
}
