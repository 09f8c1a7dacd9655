import path from 'node:path';
import type { McpServerState, McpServers } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';
import type { Connection } from './connection/connection.ts';
import { type Hub, mcpFolder } from './hub.ts';
import { loginStore } from './login/oauth-store.ts';
import { openBrowser } from './login/open-browser.ts';
import { withResources } from './mentions.ts';
import { promptCommands } from './prompt-commands.ts';
import { addressOf, type Env, expandSettings, type ServerSettings, transportOf } from './settings.ts';
import type { ToolDeps } from './tools/server-tool.ts';

/** How long a run without a user waits for a server that it needs. */
const PATIENCE_MS = 15_000;

/** What the user can see and do with the servers. */
export function createServerActions(hub: Hub, place: LoginPlace & Pick<ToolDeps, 'outgoing'>): McpServers {
  const { outgoing } = place;
  return {
    list: () => hub.connections.map(stateOf),
    async restart(name) {
      const connection = hub.find(name);
      await connection?.restart();
      return connection !== undefined;
    },
    async login(name, show) {
      const connection = hub.find(name);
      if (!connection) throw new UserError(`There is no MCP server named ${name}.`, 'See /mcp for a list.');
      await loginTo(connection, place, { show, signal: new AbortController().signal });
      await connection.restart();
    },
    settled: () => hub.settled(PATIENCE_MS),
    commands: () => promptCommands(hub, outgoing),
    withResources: (content) => withResources(content, hub, outgoing),
  };
}

function stateOf({ name, settings, phase, trouble, offers, log }: Connection): McpServerState {
  return {
    name,
    transport: transportOf(settings),
    address: addressOf(settings),
    phase,
    trouble,
    ...offers,
    log,
  };
}

export type LoginPlace = { env: Env; dataRoot: string; fetch: typeof fetch };

/** Logs in to an HTTP server. */
export async function loginTo(
  { name, settings }: { name: string; settings: ServerSettings },
  { env, dataRoot, fetch }: LoginPlace,
  { show, signal }: { show(url: string): void; signal: AbortSignal },
): Promise<void> {
  const { url, oauth } = expanded(name, settings, env);
  if (url === undefined)
    throw new UserError(`${name} is a local program.`, 'Only servers with a url need a login.');
  const { logIn } = await import('./login/login.ts');
  await logIn({
    url,
    settings: oauth,
    store: loginStore(loginFolder(dataRoot), url),
    fetch,
    onLoginUrl: (place) => {
      show(place);
      openBrowser(place, env);
    },
    signal,
  });
}

/** False if there was no login. */
export async function logoutFrom(
  { name, settings }: { name: string; settings: ServerSettings },
  { env, dataRoot }: Pick<LoginPlace, 'env' | 'dataRoot'>,
): Promise<boolean> {
  const { url } = expanded(name, settings, env);
  return url !== undefined && loginStore(loginFolder(dataRoot), url).forget();
}

function expanded(name: string, settings: ServerSettings, env: Env): ServerSettings {
  try {
    return expandSettings(settings, env);
  } catch (error) {
    throw new UserError(`Cannot connect to ${name}: ${(error as Error).message}.`, 'Set it and try again.');
  }
}

function loginFolder(dataRoot: string): string {
  return path.join(mcpFolder(dataRoot), 'logins');
}
