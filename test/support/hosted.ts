import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  client,
  methods,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { WebSocket } from 'ws';
import {
  type AttachResult,
  type ParticipantsChanged,
  type Position,
  serverMethods,
  serverNotifications,
  type Typing,
  type UpdateMeta,
} from '../../src/frontends/server/server-methods.ts';

export type Seen = SessionNotification & { meta: UpdateMeta };

export type Answering = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse> | RequestPermissionResponse;

export type MemberOptions = {
  headers?: Record<string, string>;
  capabilities?: ClientCapabilities;
  /** Without it, questions stay open. */
  answer?: Answering;
};

/** A client of the server, by the official library. */
export class Member {
  readonly updates: Seen[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly participants: ParticipantsChanged[] = [];
  readonly typing: Typing[] = [];
  readonly notified: string[] = [];
  isClosed = false;
  /** After a reset: everything was sent again. */
  isCaughtUp = false;
  agent!: ClientContext;
  #close: () => void = () => undefined;
  #cut: () => void = () => undefined;
  #changed: () => void = () => undefined;

  static async connect(url: string, options: MemberOptions = {}): Promise<Member> {
    const member = new Member();
    const { headers = {}, capabilities = { _meta: { aca: { options: true } } }, answer } = options;
    const never = new Promise<RequestPermissionResponse>(() => undefined);
    const app = client({ name: 'a test' })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        member.asked.push(params);
        member.#changed();
        return answer?.(params, signal) ?? never;
      })
      .onNotification(methods.client.session.update, ({ params }) => {
        const meta = (params._meta?.aca ?? {}) as UpdateMeta;
        if (meta.event?.type === 'reset') member.updates.length = 0;
        else if (meta.event?.type === 'caught_up') member.isCaughtUp = true;
        else member.updates.push({ ...params, meta });
        member.#changed();
      });
    const note = <Value>(method: string, list: Value[]) =>
      app.onNotification(
        method,
        (value: unknown) => value as Value,
        ({ params }) => {
          list.push(params);
          member.notified.push(method);
          member.#changed();
        },
      );
    note(serverNotifications.participants, member.participants);
    note(serverNotifications.typing, member.typing);
    note(serverNotifications.sessionsChanged, []);
    class Socket extends WebSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        member.#cut = () => this.terminate();
      }
    }
    const stream = createWebSocketStream<AnyMessage>(url, { WebSocket: Socket as never, headers });
    const connection = app.connect(stream as never);
    member.agent = connection.agent;
    member.#close = () => connection.close();
    void connection.closed.then(() => {
      member.isClosed = true;
      member.#changed();
    });
    await member.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
    });
    return member;
  }

  /** Waits until it holds; looks again whenever something arrives. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#changed;
      this.#changed = () => {
        before();
        if (holds()) resolve();
      };
      this.#changed();
    });
  }

  async create(cwd: string): Promise<string> {
    return (await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
  }

  attach(sessionId: string, after?: Position): Promise<AttachResult> {
    return this.agent.request(serverMethods.attach, { sessionId, ...(after && { after }) });
  }

  async prompt(sessionId: string, text: string) {
    const prompt = [{ type: 'text' as const, text }];
    const request: PromptRequest = { sessionId, prompt };
    const { stopReason } = await this.agent.request<PromptResponse, PromptRequest>(
      methods.agent.session.prompt,
      request,
    );
    return stopReason;
  }

  /** The answer so far. */
  get said(): string {
    return this.#texts('agent_message_chunk').join('');
  }

  get prompts(): string[] {
    return this.#texts('user_message_chunk');
  }

  get events() {
    return this.updates.flatMap(({ meta }) => (meta.event ? [{ ...meta.event, by: meta.by }] : []));
  }

  close(): void {
    this.#close();
  }

  /** As if the network failed: without a word. */
  cut(): void {
    this.#cut();
  }

  #texts(kind: 'agent_message_chunk' | 'user_message_chunk'): string[] {
    return this.updates.flatMap(({ update }) =>
      update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : [],
    );
  }
}

/** An answer as our own clients send it. */
export function choosing(optionId: string): Answering {
  return ({ _meta }) => ({ outcome: { outcome: 'selected', optionId }, _meta: _meta ?? null });
}
