import { loadSettings } from '../../app/settings.ts';
import { queueVariable, redisVariables } from '../../config/environment.ts';
import { UserError } from '../../contract/errors.ts';
import { durabilityWarnings } from '../../fleet/queue/durability.ts';
import { type Fleet, openFleet } from '../../fleet/queue/fleet.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';

export const QUEUE_FLAG = [
  '--queue <url>',
  `the Redis server that machines share: redis:// or rediss:// (default: ${queueVariable})`,
] as const;

/** The queue of the flag or the environment; warns if the server may lose tasks. */
export async function connect(queue: string | undefined, terminal: Terminal): Promise<Fleet> {
  const { env, stderr } = terminal;
  const url = queue ?? env[queueVariable];
  if (!url) throw new UserError('Which queue?', `Pass --queue redis://HOST:PORT, or set ${queueVariable}.`);
  const [, keyName] = redisVariables;
  const key = env[keyName] || loadSettings({}, terminal).config.cache.redis.key;
  const fleet = await openFleet({ url, key });
  for (const warning of await durabilityWarnings(fleet.redis)) stderr.write(`Warning: ${warning}\n`);
  return fleet;
}
