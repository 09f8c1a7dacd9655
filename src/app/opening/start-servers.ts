import type { StartedServers } from '../../assembly/extensions/start-servers.ts';
import { sessionEnvironment } from '../../config/environment.ts';
import { openNetwork } from '../../lib/network/network.ts';
import { version } from '../../lib/version.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

/**
 * Starts the configured MCP servers for the whole process and all its sessions; they may still be connecting.
 */
export async function startServers(
  { config, root, trusted }: Pick<Settings, 'config' | 'root' | 'trusted'>,
  { env, cwd }: Host,
): Promise<StartedServers | undefined> {
  if (Object.keys(config.mcpServers).length === 0) return undefined;
  const [start, { fetch }] = await Promise.all([
    import('../../assembly/extensions/start-servers.ts'),
    openNetwork(env, config.network),
  ]);
  return start.startServers({
    config,
    env: sessionEnvironment(env, config),
    cwd,
    dataRoot: root,
    trusted,
    fetch,
    version,
  });
}
