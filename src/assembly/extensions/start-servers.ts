import type { Config } from '../../config/schema/schema.ts';
import { type Hub, openHub } from '../../mcp/hub.ts';
import type { LoginPlace } from '../../mcp/server-actions.ts';
import { createProcessKeeper } from '../../sandbox/shell/process-keeper.ts';
import { type CreateServerTools, serverToolsFor } from './server-tools.ts';

/** The MCP servers of this process. `close` ends them and their child processes. */
export type StartedServers = { hub: Hub; createTools: CreateServerTools; close(): Promise<void> };

export function startServers({
  config,
  cwd,
  trusted,
  version,
  ...place
}: LoginPlace & { config: Config; cwd: string; trusted: boolean; version: string }): StartedServers {
  const { env, dataRoot, fetch } = place;
  const hub = openHub({
    servers: config.mcpServers,
    env,
    cwd,
    roots: [cwd, ...config.additionalDirectories],
    keeper: createProcessKeeper({ path: env.PATH }),
    fetch,
    dataRoot,
    trusted,
    version,
  });
  return { hub, createTools: serverToolsFor(hub, place), close: () => hub.close() };
}
