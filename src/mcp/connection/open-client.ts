import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { oauthProvider } from '../login/oauth.ts';
import { loginStore } from '../login/oauth-store.ts';
import { type Env, type ServerSettings, serverEnvironment } from '../settings.ts';
import { inUntrusted } from '../untrusted.ts';
import { type Address, mayBeOlder, serverSentEvents, streamable } from './http.ts';
import { type ProcessKeeper, type Program, StdioTransport } from './stdio.ts';

export type Surroundings = {
  env: Env;
  cwd: string;
  /** Folders that local servers are given. */
  roots: readonly string[];
  keeper: ProcessKeeper;
  fetch: typeof fetch;
  /** Whether the contents of the working directory may be run. */
  trusted: boolean;
  /** The working directory of programs that would otherwise load parts from an untrusted folder. */
  neutralFolder: string;
  /** Where logins are stored. */
  loginFolder: string;
  version: string;
};

/** Handlers for what a server sends by itself. */
export type ClientHandlers = {
  changed(): void;
  log(line: string): void;
  elicit(form: ElicitRequestFormParams): Promise<ElicitResult>;
};

export type OpenClient = { client: Client; transport: Transport };

/** An initialized connection to one server. `settings` are expanded. */
export async function openClient(
  settings: ServerSettings,
  around: Surroundings,
  { handlers, signal, timeoutMs }: { handlers: ClientHandlers; signal: AbortSignal; timeoutMs: number },
): Promise<OpenClient> {
  const greet = async (transport: Transport): Promise<OpenClient> => {
    const client = await makeClient(isLocal(settings) ? around : { ...around, roots: null }, handlers);
    const stop = () => void transport.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await client.connect(transport, { timeout: timeoutMs });
      oneAfterAnother(transport);
      return { client, transport };
    } catch (error) {
      await transport.close();
      throw withLastWords(error, transport);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  if (settings.url === undefined) {
    return greet(new StdioTransport(await programFor(settings, around), around.keeper));
  }
  const address = await addressFor(settings, settings.url, around);
  if (settings.type === 'sse') return greet(await serverSentEvents(address));
  try {
    return await greet(await streamable(address));
  } catch (error) {
    if (!mayBeOlder(error)) throw error;
    return await greet(await serverSentEvents(address)).catch((second: Error) => {
      throw new Error(`${(error as Error).message}; with the older SSE transport: ${second.message}`, {
        cause: second,
      });
    });
  }
}

/**
 * The client handles a notification asynchronously but a result at once: in one batch the result would
 * overtake earlier progress, which then belongs to no call. So each message waits for the previous one.
 */
function oneAfterAnother(transport: Transport): void {
  const take = transport.onmessage;
  let before = Promise.resolve();
  transport.onmessage = (message, extra) => {
    before = before.then(() => take?.(message, extra)).catch((error: Error) => transport.onerror?.(error));
  };
}

async function programFor(
  { command = '', args = [], cwd, env }: ServerSettings,
  around: Surroundings,
): Promise<Program> {
  const program = { command, args, cwd: cwd ?? around.cwd, env: serverEnvironment(around.env, env) };
  // A configured folder is the user's choice; the current one is not.
  if (around.trusted || cwd !== undefined) return program;
  makePrivateFolder(around.neutralFolder);
  return inUntrusted(program, around.neutralFolder);
}

/** The program's own last output says more than that it ended. */
export function withLastWords(error: unknown, transport: Transport): Error {
  const words = transport instanceof StdioTransport ? transport.lastWords : '';
  const { message } = error as Error;
  if (words === '' || message.includes(words)) return error as Error;
  return new Error(`${message} (${words})`, { cause: error });
}

async function addressFor(
  { headers = {}, oauth }: ServerSettings,
  url: string,
  { fetch, loginFolder }: Surroundings,
): Promise<Address> {
  if (!URL.canParse(url)) throw new Error(`${url} is not a valid URL`);
  const store = loginStore(loginFolder, url);
  const isLoggedIn = (await store.read()).tokens !== undefined;
  return { url, headers, fetch, ...(isLoggedIn && { login: oauthProvider(store, oauth) }) };
}

/** Paths of this machine are useless elsewhere, and private. */
function isLocal({ url }: ServerSettings): boolean {
  return url === undefined || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

type ClientParts = { roots: readonly string[] | null; version: string };

async function makeClient({ roots, version }: ClientParts, handlers: ClientHandlers): Promise<Client> {
  const [{ Client }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const client = new Client(
    { name: 'ai-code-assistant', version },
    { capabilities: { ...(roots && { roots: { listChanged: false } }), elicitation: { form: {} } } },
  );
  if (roots)
    client.setRequestHandler(types.ListRootsRequestSchema, () => ({
      roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder })),
    }));
  client.setRequestHandler(types.ElicitRequestSchema, ({ params }) =>
    params.mode === 'url' ? { action: 'decline' as const } : handlers.elicit(params),
  );
  for (const schema of [
    types.ToolListChangedNotificationSchema,
    types.ResourceListChangedNotificationSchema,
    types.PromptListChangedNotificationSchema,
  ])
    client.setNotificationHandler(schema, () => handlers.changed());
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params: { level, data } }) =>
    handlers.log(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
  );
  return client;
}
