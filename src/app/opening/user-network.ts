import type { Parts } from '../../assembly/parts.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { hasProxy, type Network, openNetwork } from '../../lib/network/network.ts';

/** Uses the user's proxy and certificates. Offline, only local addresses are reachable. */
export async function userNetwork({ network, offline }: Config, env: NodeJS.ProcessEnv): Promise<Network> {
  const { http, fetch } = await openNetwork(env, network).catch((error: Error) => {
    throw new UserError(error.message, 'Check network.caFile and HTTPS_PROXY.', {
      cause: error,
    });
  });
  if (!offline) return { http, fetch };
  const assertNearby = (address: string) => {
    if (!isNearby(address)) throw new Error(`Offline mode: not connecting to ${new URL(address).host}.`);
  };
  return {
    async http(request) {
      assertNearby(request.url);
      return http(request);
    },
    async fetch(input, init) {
      assertNearby(input instanceof Request ? input.url : String(input));
      return fetch(input, init);
    },
  };
}

/** How pages are fetched: through the user's proxy, or directly with the user's certificates. */
export async function webRoute(config: Config, env: NodeJS.ProcessEnv): Promise<NonNullable<Parts['web']>> {
  if (config.offline || hasProxy(env)) return { fetch: (await userNetwork(config, env)).fetch };
  const { caFile } = config.network;
  if (caFile === undefined) return {};
  return {
    certificates: async () => (await import('../../lib/network/routed-network.ts')).certificates(env, caFile),
  };
}
