import { randomUUID } from 'node:crypto';
import path from 'node:path';
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { byLastUsed } from '../../app/opening/choose-session.ts';
import { findModel } from '../../app/opening/find-model.ts';
import type { SessionOptions } from '../../app/options.ts';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { version } from '../../lib/version.ts';
import type { SessionStore } from '../../session/store.ts';
import type { Terminal } from '../shared/terminal.ts';
import { isEffort, isMode, isSandboxLevel, modeState } from './config-options.ts';
import { promptOf } from './prompt-content.ts';
import { AcpSession } from './session.ts';

/** Sessions in one answer of `session/list`. */
const PAGE = 50;

type Place = { cwd: string; additionalDirectories?: string[]; mcpServers?: McpServer[] };

/** The methods of the protocol, for one connection. */
export class AcpAgent {
  readonly #options: SessionOptions;
  readonly #terminal: Terminal;
  readonly #leaving: AbortSignal;
  readonly #sessions = new Map<string, AcpSession>();
  #capabilities: ClientCapabilities = {};

  constructor(options: SessionOptions, terminal: Terminal, leaving: AbortSignal) {
    this.#options = options;
    this.#terminal = terminal;
    this.#leaving = leaving;
  }

  app(): AgentApp {
    const { agent: names } = methods;
    return agent({ name: 'ai-code-assistant' })
      .onRequest(names.initialize, ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {};
        return greeting();
      })
      .onRequest(names.authenticate, () => this.#authenticate())
      .onRequest(names.session.new, ({ params, client }) => explained(() => this.#begin(params, client)))
      .onRequest(names.session.load, ({ params, client }) =>
        explained(async () => {
          const session = await this.#resume(params.sessionId, params, client);
          await session.replay();
          return stateOf(session);
        }),
      )
      .onRequest(names.session.resume, ({ params, client }) =>
        explained(async () => stateOf(await this.#resume(params.sessionId, params, client))),
      )
      .onRequest(names.session.list, ({ params }) => explained(async () => this.#list(params)))
      .onRequest(names.session.delete, ({ params }) => explained(() => this.#delete(params.sessionId)))
      .onRequest(names.session.close, ({ params }) => explained(() => this.#close(params.sessionId)))
      .onRequest(names.session.setMode, ({ params: { sessionId, modeId } }) => {
        if (!isMode(modeId)) throw RequestError.invalidParams(undefined, `There is no mode "${modeId}".`);
        this.#session(sessionId).setMode(modeId);
      })
      .onRequest(names.session.setConfigOption, ({ params }) =>
        explained(async () => {
          const session = this.#session(params.sessionId);
          await setOption(session, params.configId, params.value);
          return { configOptions: await session.configOptions() };
        }),
      )
      .onRequest(names.session.prompt, ({ params, signal }) =>
        explained(async () => {
          const session = this.#session(params.sessionId);
          signal.addEventListener('abort', () => session.cancel());
          return { stopReason: await session.prompt(promptOf(params.prompt)) };
        }),
      )
      .onNotification(names.session.cancel, ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  #session(id: string): AcpSession {
    const session = this.#sessions.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }

  #store(): SessionStore {
    return sessionStore(loadSettings(this.#options, this.#terminal));
  }

  async #authenticate(): Promise<void> {
    const settings = loadSettings(this.#options, this.#terminal);
    if (!(await findModel(settings, this.#terminal)))
      throw RequestError.authRequired(
        undefined,
        'No model is set up. Run `aca` in a terminal to choose one.',
      );
  }

  async #begin(place: Place, context: AgentContext) {
    const id = randomUUID();
    const session = await this.#open(id, { sessionId: id }, place, context);
    return { sessionId: id, ...(await stateOf(session)) };
  }

  async #resume(id: string, place: Place, context: AgentContext): Promise<AcpSession> {
    await this.#close(id);
    if (!this.#store().has(id)) throw RequestError.sessionNotFound(id);
    return this.#open(id, { resume: id, forceDir: true }, place, context);
  }

  async #open(
    id: string,
    chosen: Partial<SessionOptions>,
    { cwd, additionalDirectories = [], mcpServers = [] }: Place,
    context: AgentContext,
  ): Promise<AcpSession> {
    if (!path.isAbsolute(cwd))
      throw RequestError.invalidParams(undefined, `The folder must be an absolute path: ${cwd}`);
    const session = await AcpSession.open({
      id,
      context,
      capabilities: this.#capabilities,
      leaving: this.#leaving,
      host: { ...this.#terminal, cwd },
      options: {
        ...this.#options,
        ...chosen,
        addDir: [...this.#options.addDir, ...additionalDirectories],
        ...(mcpServers.length > 0 && { mcpConfig: [serverConfig(mcpServers)] }),
      },
    });
    this.#sessions.set(id, session);
    return session;
  }

  #list({ cwd, cursor }: { cwd?: string | null; cursor?: string | null }) {
    const all = byLastUsed(this.#store().list()).filter(
      ({ workingDirectory }) => !cwd || workingDirectory === cwd,
    );
    const start = cursor ? all.findIndex(({ id }) => id === cursor) : 0;
    if (start < 0)
      throw RequestError.invalidParams(undefined, 'The cursor is unknown: list again without it.');
    const next = all[start + PAGE];
    return {
      sessions: all
        .slice(start, start + PAGE)
        .map(({ id, workingDirectory, title, firstPrompt, updatedAt }) => ({
          sessionId: id,
          cwd: workingDirectory,
          title: title ?? firstPrompt,
          updatedAt,
        })),
      ...(next && { nextCursor: next.id }),
    };
  }

  async #delete(id: string): Promise<void> {
    await this.#close(id);
    if ((await this.#store().delete(id)) === null) throw RequestError.sessionNotFound(id);
  }

  async #close(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close();
  }
}

/** An unknown version is answered with ours, and the client decides. */
function greeting() {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'ai-code-assistant', title: 'ai-code-assistant', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
    },
    authMethods: [
      {
        id: 'terminal',
        type: 'terminal' as const,
        name: 'Set up a model',
        description: 'Choose a vendor and enter a key, or use a model on this machine',
        args: ['--setup'],
      },
      {
        id: 'environment',
        name: 'Use what is set up already',
        description: 'A key from the environment or `aca keys set`, or a model server on this machine',
      },
    ],
  };
}

async function stateOf(session: AcpSession) {
  const state = { modes: modeState(session.mode), configOptions: await session.configOptions() };
  // After the answer, which tells the client the session's id.
  setImmediate(() => session.announce());
  return state;
}

async function setOption(session: AcpSession, id: string, value: unknown): Promise<void> {
  const isText = typeof value === 'string';
  if (id === 'mode' && isText && isMode(value)) session.setMode(value);
  else if (id === 'model' && isText) await session.change({ model: value });
  else if (id === 'effort' && isEffort(value)) await session.change({ effort: value });
  else if (id === 'sandbox' && isSandboxLevel(value)) await session.change({ sandbox: value });
  else throw RequestError.invalidParams(undefined, `The option ${id} cannot be ${JSON.stringify(value)}.`);
}

/** In the format of `.mcp.json`. */
function serverConfig(servers: readonly McpServer[]): string {
  const entries = servers.map((server) => {
    if ('url' in server) {
      const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
      return [server.name, { type: server.type, url: server.url, headers }];
    }
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    return [server.name, { command: server.command, args: server.args, env }];
  });
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

/** What a user can fix is told as an error with the next step. */
async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code } = RequestError.internalError();
    throw new RequestError(code, `${error.message} ${error.hint}`);
  }
}
