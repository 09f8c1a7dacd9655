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
} from '@agentclientprotocol/sdk';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { onAbort } from '../../../lib/async/abort.ts';
import type { AccessEntry } from '../../../observability/audit/access-log.ts';
import { greeting } from '../../acp/agent.ts';
import { withExtensions } from '../../acp/extension-requests.ts';
import { promptOf } from '../../acp/prompt-content.ts';
import type { SentPrompt } from '../../acp/prompt-turns.ts';
import { explained } from '../../acp/sessions.ts';
import { type Identity, maySee } from '../identity.ts';
import { type AttachParams, type PromptMeta, serverMethods, serverNotifications } from '../server-methods.ts';
import { optionsInMeta } from '../session-options.ts';
import { refusedToGuests } from './guest-commands.ts';
import type { HostedSessions } from './hosted-sessions.ts';
import { JoinedSessions } from './joined-sessions.ts';
import { guarded } from './roles.ts';
import { socketStream } from './socket-stream.ts';

/** The protocol's code for a service that asks the client to come back later. */
const TRY_AGAIN = 1013;

const ofSession = z.object({ sessionId: z.string() });
const attachParams: z.ZodType<AttachParams> = ofSession.extend({
  after: z.object({ epoch: z.string(), seq: z.number().int().min(0) }).optional(),
  batches: z.boolean().optional(),
});
const openParams = ofSession.extend({ _meta: z.unknown().optional() });
const typingParams = ofSession.extend({ isTyping: z.boolean() });

export type ConnectionDeps = {
  hosted: HostedSessions;
  /** Whether this person has access still. */
  isAllowed(): Promise<boolean>;
  /** Adds more methods. */
  extend?(app: AgentApp, connection: Connected): void;
};

/** What other methods may use of a connection. */
export type Connected = {
  who: Identity;
  /** Whether this person has access still. */
  isAllowed(): Promise<boolean>;
  /** Once it is connected. */
  context(): AgentContext;
  /** Called once, when it is closed. */
  onClose(listener: () => void): void;
  /** Writes an entry about this person to the audit log. */
  audit(event: string, about?: Pick<AccessEntry, 'session' | 'detail'>): void;
};

/** One connection: the protocol for one person, over a WebSocket. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #who: Identity;
  readonly #deps: ConnectionDeps;
  readonly #joined: JoinedSessions;
  readonly #closing = new Set<() => void>();
  #connection: AgentConnection | null = null;
  #capabilities: ClientCapabilities = {};
  #seesOverview = false;

  constructor(socket: WebSocket, who: Identity, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#who = who;
    this.#deps = deps;
    this.#joined = new JoinedSessions({
      hosted: deps.hosted,
      who,
      context: () => this.#context(),
      capabilities: () => this.#capabilities,
      onWrong: (session, detail) => this.#audit('refused', { session, detail }),
      onBehind: () => socket.close(TRY_AGAIN, 'This client was too slow. Attach again.'),
    });
  }

  /** Resolves when it is closed. The sessions go on. */
  async serve(): Promise<void> {
    const app = this.#app();
    const connected: Connected = {
      who: this.#who,
      isAllowed: this.#deps.isAllowed,
      context: () => this.#context(),
      onClose: (listener) => this.#closing.add(listener),
      audit: (event, about) => this.#audit(event, about),
    };
    this.#deps.extend?.(app, connected);
    const stream = guarded(socketStream(this.#socket), this.#who, {
      refuse: (message, why) => this.#refuse(message, why),
      audit: (event, about) => this.#audit(event, about),
      onTooMany: () => this.#socket.close(TRY_AGAIN, 'Too many requests. Try again in a moment.'),
    });
    this.#connection = app.connect(stream);
    await this.#connection.closed;
    this.#joined.leaveAll();
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
        await this.#joined.join(sessionId, 'beginning');
        this.#audit('created', { session: sessionId, detail: params.cwd });
        return began;
      })
      .onRequest(session.load, async ({ params: { sessionId } }) => {
        await this.#joined.join(sessionId, 'past');
        return sessions.stateOf(sessionId);
      })
      .onRequest(session.resume, async ({ params: { sessionId } }) => {
        await this.#joined.join(sessionId, 'now');
        return sessions.stateOf(sessionId);
      })
      .onRequest(session.list, ({ params }) => {
        return sessions.list(params, (id) => maySee(this.#who, id));
      })
      .onRequest(session.delete, ({ params }) => hosted.delete(params.sessionId))
      .onRequest(session.close, ({ params }) => hosted.close(params.sessionId))
      .onRequest(session.setMode, ({ params }) => sessions.setMode(params))
      .onRequest(session.setConfigOption, ({ params }) => sessions.setOption(params))
      .onRequest(session.prompt, ({ params, signal }) => this.#prompt(params, signal))
      .onNotification(session.cancel, ({ params: { sessionId } }) =>
        sessions.cancel(sessionId, this.#isOwn(sessionId)),
      )
      .onRequest(serverMethods.open, openParams, async ({ params: { sessionId, _meta } }) => {
        await hosted.get(sessionId, optionsInMeta(_meta));
        return {};
      })
      .onRequest(serverMethods.attach, attachParams, ({ params }) => this.#joined.attach(params))
      .onRequest(serverMethods.detach, ofSession, ({ params }) => {
        this.#joined.leave(params.sessionId);
        return {};
      })
      .onRequest(serverMethods.resumeRun, ofSession, ({ params }) => this.#resumeRun(params.sessionId))
      .onRequest(serverMethods.overview, z.unknown(), () => this.#overview())
      .onNotification(serverNotifications.typing, typingParams, ({ params: { sessionId, isTyping } }) => {
        const info = this.#joined.infoIn(sessionId);
        if (info) hosted.find(sessionId)?.room.typing(info, isTyping);
      });
    return withExtensions(app, async () => sessions);
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
    const { sessionId, prompt, _meta } = request;
    const { text } = promptOf(prompt);
    // It may have been closed meanwhile.
    const hosted = await this.#deps.hosted.get(sessionId);
    const isGuest = this.#who.role !== 'owner';
    const refused = isGuest ? await refusedToGuests(text, hosted.session.opened) : null;
    if (refused !== null) {
      this.#audit('refused', { session: sessionId, detail: `${refused} ${text}` });
      throw RequestError.invalidRequest(undefined, refused);
    }
    this.#audit('prompted', { session: sessionId, detail: text });
    const from = { id: this.#idIn(sessionId), name: this.#who.name };
    const { after, promptId } = (_meta?.aca ?? {}) as PromptMeta;
    const about = {
      from,
      ...(after === true && { after }),
      ...(isGuest && { isGuest: true as const, isAllowed: this.#deps.isAllowed }),
    };
    const id = typeof promptId === 'string' ? promptId : undefined;
    return explained(async () => {
      const answered = hosted.prompt({ ...promptOf(prompt), ...about }, id);
      const cancelling = this.#onCancel(signal, () => hosted.session.cancel(this.#isOwn(sessionId)));
      return { stopReason: await answered.finally(() => cancelling.off()) };
    });
  }

  #idIn(sessionId: string): string {
    return this.#joined.infoIn(sessionId)?.id ?? this.#who.id;
  }

  /** Stopping a run takes back the prompts of the user who stops it, whichever of their clients sent them. */
  #isOwn(sessionId: string): (prompt: SentPrompt) => boolean {
    const id = this.#idIn(sessionId);
    return ({ from }) => from?.id === id || from?.name === this.#who.name;
  }

  async #resumeRun(sessionId: string) {
    const { session } = await this.#deps.hosted.get(sessionId);
    if (session.isBusy) throw RequestError.invalidRequest(undefined, 'The session is working already.');
    const stopReason = await session.prompt({ text: '', images: [], resumes: true });
    return { stopReason };
  }

  /** A client that disconnects does not cancel its prompt. */
  #onCancel(signal: AbortSignal, cancel: () => void): { off(): void } {
    const look = () => {
      const { reason } = signal;
      if (reason instanceof RequestError && reason.code === RequestError.requestCancelled().code) cancel();
    };
    if (signal.aborted) look();
    return onAbort(signal, look);
  }

  #context(): AgentContext {
    if (!this.#connection) throw new Error('There is no connection yet.');
    return this.#connection.client;
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
    this.#deps.hosted.audit({ event, by: { id, name, role }, ...about });
  }
}
