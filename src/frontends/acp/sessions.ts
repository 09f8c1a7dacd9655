import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import {
  type ListSessionsRequest,
  type LoadSessionRequest,
  type McpServer,
  type NewSessionRequest,
  type PromptRequest,
  RequestError,
  type ResumeSessionRequest,
  type SetSessionConfigOptionRequest,
  type SetSessionModeRequest,
} from '@agentclientprotocol/sdk';
import { byLastUsed } from '../../app/opening/choose-session.ts';
import { findModel } from '../../app/opening/find-model.ts';
import type { SessionOptions } from '../../app/options.ts';
import { loadSettings, sessionStore } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { isEffort } from '../../contract/request/effort.ts';
import { onAbort } from '../../lib/async/abort.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import type { SessionStore } from '../../session/store.ts';
import type { Terminal } from '../shared/terminal.ts';
import type { Client } from './client.ts';
import { isMode, isSandboxLevel, modeState } from './config-options.ts';
import { serverConfig } from './editor-servers.ts';
import type { FileQuery } from './extension-methods.ts';
import { promptOf } from './prompt-content.ts';
import type { SentPrompt } from './prompt-turns.ts';
import { AcpSession } from './session.ts';
import type { SessionChanges } from './session-changes.ts';
import { toldError } from './updates/run-end.ts';

/** Sessions in one answer of `session/list`. */
const PAGE = 50;

type Place = Pick<NewSessionRequest, 'cwd' | 'additionalDirectories'> & { mcpServers?: McpServer[] };

type SessionsDeps = {
  /** For all of them. */
  options: SessionOptions;
  terminal: Terminal;
  leaving: AbortSignal;
};

/** Who shows a session, by its id. */
type ClientOf = (sessionId: string) => Client;

/** The open sessions, and those on the disk. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #open = new Map<string, AcpSession>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  async authenticate(): Promise<void> {
    const { options, terminal } = this.#deps;
    if (!(await findModel(loadSettings(options, terminal), terminal)))
      throw RequestError.authRequired(
        undefined,
        'No model is set up. Run `aca` in a terminal to choose one.',
      );
  }

  begin(place: NewSessionRequest, clientOf: ClientOf, chosen: Partial<SessionOptions> = {}) {
    return explained(async () => {
      const sessionId = randomUUID();
      const session = await this.#start(sessionId, { ...chosen, sessionId }, place, clientOf);
      return { sessionId, ...(await announced(session)) };
    });
  }

  load(request: LoadSessionRequest, clientOf: ClientOf) {
    return explained(async () => {
      const client = clientOf(request.sessionId);
      const session = await this.#reopen(request, () => client);
      await session.opened.opened.ready;
      const subagents = await session.subagents();
      client.update(...session.past(subagents).map(({ update }) => update));
      await client.passedOn?.();
      return announced(session);
    });
  }

  resume(request: ResumeSessionRequest, clientOf: ClientOf, chosen: Partial<SessionOptions> = {}) {
    return explained(async () => announced(await this.#reopen(request, clientOf, chosen)));
  }

  /** Of those that the asker may see. */
  list({ cwd, cursor }: ListSessionsRequest, maySee: (id: string) => boolean = () => true) {
    const all = byLastUsed(this.store.list()).filter(
      ({ id, workingDirectory }) => (!cwd || workingDirectory === cwd) && maySee(id),
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

  delete(id: string): Promise<void> {
    return explained(async () => {
      await this.close(id);
      if ((await this.store.delete(id)) === null) throw RequestError.sessionNotFound(id);
    });
  }

  async close(id: string): Promise<void> {
    const session = this.#open.get(id);
    this.#open.delete(id);
    await session?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  /** What a client chooses from. */
  stateOf(id: string) {
    return stateOf(this.#session(id));
  }

  setMode({ sessionId, modeId }: SetSessionModeRequest): void {
    if (!isMode(modeId)) throw RequestError.invalidParams(undefined, `There is no mode "${modeId}".`);
    this.#session(sessionId).setMode(modeId);
  }

  setOption({ sessionId, configId, value }: SetSessionConfigOptionRequest) {
    return explained(async () => {
      const session = this.#session(sessionId);
      await setOption(session, configId, value);
      return { configOptions: await session.configOptions() };
    });
  }

  /** An abort cancels the run. */
  prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal) {
    return explained(async () => {
      const session = this.#session(sessionId);
      const answered = session.prompt(promptOf(prompt));
      if (signal.aborted) session.cancel();
      const cancelling = onAbort(signal, () => session.cancel());
      return { stopReason: await answered.finally(() => cancelling.off()) };
    });
  }

  changes(id: string): SessionChanges {
    return this.#session(id).changes;
  }

  async completeFile({ sessionId, ...wanted }: FileQuery & { sessionId: string }) {
    return { paths: await this.#session(sessionId).files.complete(wanted) };
  }

  cancel(id: string, isOwn?: (prompt: SentPrompt) => boolean): void {
    this.#open.get(id)?.cancel(isOwn);
  }

  /** Undefined if it is not open. */
  get(id: string): AcpSession | undefined {
    return this.#open.get(id);
  }

  #session(id: string): AcpSession {
    const session = this.#open.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }

  get store(): SessionStore {
    const { options, terminal } = this.#deps;
    return sessionStore(loadSettings(options, terminal));
  }

  async #reopen(
    request: ResumeSessionRequest,
    clientOf: ClientOf,
    chosen: Partial<SessionOptions> = {},
  ): Promise<AcpSession> {
    const { sessionId: id } = request;
    await this.close(id);
    if (!this.store.has(id)) throw RequestError.sessionNotFound(id);
    const session = await this.#start(id, { ...chosen, resume: id, forceDir: true }, request, clientOf);
    await session.restore(chosen);
    return session;
  }

  async #start(
    id: string,
    chosen: Partial<SessionOptions>,
    { cwd, additionalDirectories = [], mcpServers = [] }: Place,
    clientOf: ClientOf,
  ): Promise<AcpSession> {
    for (const folder of [cwd, ...additionalDirectories]) mustBeFolder(folder);
    const { options, terminal, leaving } = this.#deps;
    const session = await AcpSession.open({
      id,
      client: clientOf(id),
      leaving,
      host: { ...terminal, cwd },
      options: {
        ...options,
        ...chosen,
        addDir: [...options.addDir, ...(chosen.addDir ?? []), ...additionalDirectories],
        ...(mcpServers.length > 0 && {
          mcpConfig: [...(chosen.mcpConfig ?? []), serverConfig(mcpServers)],
        }),
      },
    });
    this.#open.set(id, session);
    return session;
  }
}

async function stateOf(session: AcpSession) {
  return { modes: modeState(session.mode), configOptions: await session.configOptions() };
}

/** The same for a session that was just opened. */
async function announced(session: AcpSession) {
  const state = await stateOf(session);
  // After the answer, which tells the client the session's id.
  setImmediate(() => session.announce());
  return state;
}

async function setOption(session: AcpSession, id: string, value: unknown): Promise<void> {
  const isText = typeof value === 'string';
  if (id === 'mode' && isText && isMode(value)) session.setMode(value);
  else if (id === 'model' && isText) await session.change({ model: value });
  else if (id === 'effort' && (value === 'default' || isEffort(value))) session.opened.effort.set(value);
  else if (id === 'sandbox' && isSandboxLevel(value)) await session.change({ sandbox: value });
  else throw RequestError.invalidParams(undefined, `The option ${id} cannot be ${JSON.stringify(value)}.`);
}

function mustBeFolder(folder: string): void {
  const refuse = (why: string): never => {
    throw RequestError.invalidParams(undefined, `${why}: ${folder}`);
  };
  if (!path.isAbsolute(folder)) refuse('The folder must be an absolute path');
  const stat = unlessErrno('any', null, () => statSync(folder));
  if (!stat) refuse('The folder does not exist, or cannot be read');
  else if (!stat.isDirectory()) refuse('This is not a folder');
}

/** What a user can fix is told as an error with the next step. */
export async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code } = RequestError.internalError();
    throw new RequestError(code, toldError(error));
  }
}
