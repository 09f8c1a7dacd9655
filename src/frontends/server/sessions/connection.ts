import {
  type AgentApp,
  type AgentConnection,
  type AgentContext,
  type AnyMessage,
  agent,
  type ClientCapabilities,
  methods,
  type PromptRequest,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { ownCommandIn } from '../../../commands/own-command.ts';
import type { AccessEntry } from '../../../observability/audit/access-log.ts';
import { greeting } from '../../acp/agent.ts';
import { EditorClient } from '../../acp/client.ts';
import { withExtensions } from '../../acp/extension-requests.ts';
import { promptOf } from '../../acp/prompt-content.ts';
import { type Identity, includesRole, maySee } from '../identity.ts';
import {
  type AttachParams,
  type AttachResult,
  type ParticipantInfo,
  serverMethods,
  serverNotifications,
} from '../server-methods.ts';
import { optionsInMeta } from '../session-options.ts';
import { acpAnswers } from './acp-answers.ts';
import type { HostedSession } from './hosted-session.ts';
import type { HostedSessions } from './hosted-sessions.ts';
import { guarded } from './roles.ts';
import type { Participant } from './room.ts';
import { socketStream } from './socket-stream.ts';
import { type Delivery, Watch } from './watch.ts';

const PROMPT_CHARACTERS = 200;
/** The protocol's code for a service that asks the client to come back later. */
const TRY_AGAIN = 1013;

const ofSession = z.object({ sessionId: z.string() });
const attachParams: z.ZodType<AttachParams> = ofSession.extend({
  after: z.object({ epoch: z.string(), seq: z.number().int().min(0) }).optional(),
});
const openParams = ofSession.extend({ _meta: z.unknown().optional() });
const typingParams = ofSession.extend({ isTyping: z.boolean() });

export type ConnectionDeps = {
  hosted: HostedSessions;
  audit(entry: AccessEntry): void;
  /** Adds more methods. */
  extend?(app: AgentApp, connection: Connected): void;
};

const RESET: Delivery = {
  update: { sessionUpdate: 'session_info_update' },
  meta: { event: { type: 'reset' } },
};

const CAUGHT_UP: Delivery = { ...RESET, meta: { event: { type: 'caught_up' } } };

/** What other methods may use of a connection. */
export type Connected = {
  who: Identity;
  /** Once it is connected. */
  context(): AgentContext;
  /** Called once, when it is closed. */
  onClose(listener: () => void): void;
};

/** How a client takes part in one session. `isAware`: it knows events and participants, not only the protocol. */
type Joined = { info: ParticipantInfo; isAware: boolean; watch: Watch; leave(): void };

let participants = 0;

/** One connection: the protocol for one person, over a WebSocket. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #who: Identity;
  readonly #deps: ConnectionDeps;
  readonly #joined = new Map<string, Joined>();
  readonly #closing = new Set<() => void>();
  #connection: AgentConnection | null = null;
  #capabilities: ClientCapabilities = {};
  #seesOverview = false;

  constructor(socket: WebSocket, who: Identity, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#who = who;
    this.#deps = deps;
  }

  /** Resolves when it is closed. The sessions go on. */
  async serve(): Promise<void> {
    const app = this.#app();
    const connected: Connected = {
      who: this.#who,
      context: () => this.#context(),
      onClose: (listener) => this.#closing.add(listener),
    };
    this.#deps.extend?.(app, connected);
    const stream = guarded(socketStream(this.#socket), this.#who, (message, why) =>
      this.#refuse(message, why),
    );
    this.#connection = app.connect(stream);
    await this.#connection.closed;
    for (const id of [...this.#joined.keys()]) this.#leave(id);
    for (const listener of this.#closing) listener();
  }

  #app(): AgentApp {
    const { hosted } = this.#deps;
    const { sessions } = hosted;
    const { agent: names } = methods;
    const { session } = names;
    const app = agent({ name: 'ai-code-assistant' })
      .onRequest(names.initialize, ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {};
        return greeting(this.#capabilities);
      })
      .onRequest(names.authenticate, () => sessions.authenticate())
      .onRequest(session.new, async ({ params }) => {
        const began = await hosted.begin(params, optionsInMeta(params._meta));
        const { sessionId } = began;
        void this.#join(sessionId, await hosted.get(sessionId), { isAware: false }).start([], 0);
        this.#audit('created', { session: sessionId, detail: params.cwd });
        return began;
      })
      .onRequest(session.load, async ({ params: { sessionId } }) => {
        const found = await hosted.get(sessionId);
        const { first, position } = await found.snapshot();
        await this.#join(sessionId, found, { isAware: false }).start(first, position.seq);
        return sessions.stateOf(sessionId);
      })
      .onRequest(session.resume, async ({ params: { sessionId } }) => {
        const found = await hosted.get(sessionId);
        void this.#join(sessionId, found, { isAware: false }).start([], found.log.position.seq);
        return sessions.stateOf(sessionId);
      })
      .onRequest(session.list, ({ params }) => {
        const { sessions: all, ...page } = sessions.list(params);
        return { ...page, sessions: all.filter(({ sessionId }) => maySee(this.#who, sessionId)) };
      })
      .onRequest(session.delete, ({ params }) => hosted.delete(params.sessionId))
      .onRequest(session.close, ({ params }) => hosted.close(params.sessionId))
      .onRequest(session.setMode, ({ params }) => {
        this.#audit('mode', { session: params.sessionId, detail: params.modeId });
        return sessions.setMode(params);
      })
      .onRequest(session.setConfigOption, ({ params }) => {
        this.#audit('option', { session: params.sessionId, detail: `${params.configId}=${params.value}` });
        return sessions.setOption(params);
      })
      .onRequest(session.prompt, ({ params, signal }) => this.#prompt(params, signal))
      .onNotification(session.cancel, ({ params: { sessionId } }) => {
        this.#audit('cancelled', { session: sessionId });
        sessions.cancel(sessionId);
      })
      .onRequest(serverMethods.open, openParams, async ({ params: { sessionId, _meta } }) => {
        await hosted.get(sessionId, optionsInMeta(_meta));
        return {};
      })
      .onRequest(serverMethods.attach, attachParams, ({ params }) => this.#attach(params))
      .onRequest(serverMethods.detach, ofSession, ({ params }) => {
        this.#leave(params.sessionId);
        return {};
      })
      .onRequest(serverMethods.resumeRun, ofSession, ({ params }) => this.#resumeRun(params.sessionId))
      .onRequest(serverMethods.overview, z.unknown(), () => this.#overview())
      .onNotification(serverNotifications.typing, typingParams, ({ params: { sessionId, isTyping } }) => {
        const joined = this.#joined.get(sessionId);
        if (joined) hosted.find(sessionId)?.room.typing(joined.info, isTyping);
      });
    return withExtensions(app, async () => sessions);
  }

  async #attach({ sessionId, after }: AttachParams): Promise<AttachResult> {
    const found = await this.#deps.hosted.get(sessionId);
    const state = await this.#deps.hosted.sessions.stateOf(sessionId);
    const reset = !after || !found.log.knows(after);
    const { first, position } = reset ? await found.snapshot() : { first: [], position: found.log.position };
    const watch = this.#join(sessionId, found, { isAware: true });
    // After the answer, which says what comes next.
    const [told, seq] = reset ? [[RESET, ...first, CAUGHT_UP], position.seq] : [[], after.seq];
    setImmediate(() => void watch.start(told, seq));
    const { role, id: you } = this.#joined.get(sessionId)?.info ?? this.#who;
    return {
      ...position,
      role,
      you,
      reset,
      state: found.state,
      participants: found.room.participants,
      title: found.overview().title,
      cwd: found.overview().cwd,
      ...state,
    };
  }

  #overview() {
    if (!this.#seesOverview) {
      this.#seesOverview = true;
      const off = this.#deps.hosted.listen(() => this.#notify(serverNotifications.sessionsChanged, {}));
      this.#closing.add(off);
    }
    return { sessions: this.#deps.hosted.overview().filter(({ id }) => maySee(this.#who, id)) };
  }

  async #prompt(request: PromptRequest, signal: AbortSignal) {
    const { sessionId, prompt } = request;
    const { text } = promptOf(prompt);
    if (this.#who.role !== 'owner' && ownCommandIn(text) !== null)
      throw RequestError.invalidRequest(undefined, 'Only the owner can run commands with !.');
    this.#audit('prompted', { session: sessionId, detail: text.slice(0, PROMPT_CHARACTERS) });
    const from = { id: this.#joined.get(sessionId)?.info.id ?? this.#who.id, name: this.#who.name };
    return this.#deps.hosted.sessions.prompt(request, this.#cancelled(signal), from);
  }

  async #resumeRun(sessionId: string) {
    const { session } = await this.#deps.hosted.get(sessionId);
    if (session.isBusy) throw RequestError.invalidRequest(undefined, 'The session is working already.');
    this.#audit('continued', { session: sessionId });
    const stopReason = await session.prompt({ text: '', images: [], resumes: true });
    return { stopReason };
  }

  /** A client that disconnects does not cancel its prompt. */
  #cancelled(signal: AbortSignal): AbortSignal {
    const cancelled = new AbortController();
    signal.addEventListener('abort', () => {
      const { reason } = signal;
      if (reason instanceof RequestError && reason.code === RequestError.requestCancelled().code)
        cancelled.abort(reason);
    });
    return cancelled.signal;
  }

  #join(sessionId: string, { room, log }: HostedSession, { isAware }: { isAware: boolean }): Watch {
    this.#leave(sessionId);
    const { role, name } = this.#who;
    participants++;
    const info = { id: `participant-${participants}`, name, role };
    const context = this.#context();
    const client = new EditorClient(context, this.#capabilities, sessionId);
    const watch = new Watch({
      log,
      send: (delivery) => this.#send(sessionId, delivery),
      onBehind: () => this.#socket.close(TRY_AGAIN, 'This client was too slow. Attach again.'),
    });
    const participant: Participant = {
      info,
      answers: includesRole(role, 'editor')
        ? acpAnswers({
            context,
            sessionId,
            client,
            onWrong: (requestId) =>
              this.#audit('refused', { session: sessionId, detail: `wrong digest for ${requestId}` }),
          })
        : null,
      onChanges: () => client.changesChanged(),
      ...(isAware && {
        onParticipants: (all) =>
          this.#notify(serverNotifications.participants, { sessionId, participants: all }),
        onTyping: (typing) => this.#notify(serverNotifications.typing, { sessionId, ...typing }),
      }),
    };
    this.#joined.set(sessionId, { info, isAware, watch, leave: room.join(participant) });
    return watch;
  }

  #context(): AgentContext {
    if (!this.#connection) throw new Error('There is no connection yet.');
    return this.#connection.client;
  }

  #leave(sessionId: string): void {
    const joined = this.#joined.get(sessionId);
    this.#joined.delete(sessionId);
    joined?.watch.end();
    joined?.leave();
  }

  async #send(sessionId: string, { update, meta, from }: Delivery): Promise<void> {
    const joined = this.#joined.get(sessionId);
    if (!joined) return;
    // A plain client shows its own prompts itself.
    if (!joined.isAware && (from === joined.info.id || meta.event)) return;
    const shown = this.#capabilities.session?.notices ? update : withoutNotice(update);
    if (!shown) return;
    const params = { sessionId, update: shown, _meta: { aca: meta } };
    await this.#context().notify(methods.client.session.update, params);
  }

  #notify(method: string, params: object): void {
    // Fails only when the connection is closed.
    this.#context()
      .notify(method, params)
      .catch(() => undefined);
  }

  #refuse(message: AnyMessage, why: string): void {
    const params = 'params' in message ? (message.params as { sessionId?: unknown }) : undefined;
    const session = typeof params?.sessionId === 'string' ? { session: params.sessionId } : {};
    this.#audit('refused', { ...session, detail: why });
    if (!('id' in message && 'method' in message)) return;
    const { code } = RequestError.invalidRequest();
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code, message: why } }));
  }

  #audit(event: string, about: Pick<AccessEntry, 'session' | 'detail'> = {}): void {
    const { id, name, role } = this.#who;
    this.#deps.audit({ event, by: { id, name, role }, ...about });
  }
}

/** For clients that do not know notices: a warning as text, and nothing else. */
function withoutNotice(update: SessionUpdate): SessionUpdate | null {
  if (update.sessionUpdate !== 'notice') return update;
  if (update.severity !== 'warning') return null;
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${update.title}\n\n` } };
}
