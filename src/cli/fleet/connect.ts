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
export async function connect(
  queue: string | undefined,
  terminal: Terminal,
  say = (text: string): unknown => terminal.stderr.write(`${text}\n`),
): Promise<Fleet> {
  const fleet = await open(queue, terminal, say);
  for (const warning of await durabilityWarnings(fleet.redis)) say(`Warning: ${warning}`);
  return fleet;
}

/** Throws a `UserError` if the queue cannot be used. */
export async function checkQueue(queue: string, terminal: Terminal): Promise<void> {
  const fleet = await open(queue, terminal, (text) => terminal.stderr.write(`${text}\n`));
  await fleet.close();
}

async function open(
  queue: string | undefined,
  terminal: Terminal,
  onConnection: (text: string) => unknown,
): Promise<Fleet> {
  const { env } = terminal;
  const url = queue ?? env[queueVariable];
  if (!url)
    throw new UserError('No queue given.', `Pass --queue redis://HOST:PORT, or set ${queueVariable}.`);
  const [, keyName] = redisVariables;
  const key = env[keyName] || loadSettings({}, terminal).config.cache.redis.key;
  return openFleet({ url, key, onConnection });
}
