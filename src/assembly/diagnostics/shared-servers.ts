import { LanguageServerPool, type PoolOptions } from '../../language-servers/pool.ts';
import { createServerStarter, type ServerStarterOptions } from '../../sandbox/shell/server-process.ts';

type Shared = { pool: LanguageServerPool; users: number; close(): Promise<void>; ending?: NodeJS.Timeout };

/** A session that follows another one soon finds the servers running. */
const LINGER_MS = 60_000;

/**
 * The servers of this process. Frontends open sessions independently of one another, and each server takes much
 * memory and time to start, so sessions that would start the same one share it: same folders, programs, sandbox and
 * limits. Nothing else of a session is in here.
 */
const shared = new Map<string, Shared>();

export type JoinOptions = Omit<PoolOptions, 'start'> & { starter: ServerStarterOptions };

/** `leave` when the session ends. */
export function joinServers(key: string, options: JoinOptions): { pool: LanguageServerPool; leave(): void } {
  const found = shared.get(key) ?? open(key, options);
  clearTimeout(found.ending);
  found.users += 1;
  return {
    pool: found.pool,
    leave() {
      found.users -= 1;
      if (found.users > 0) return;
      found.ending = setTimeout(() => {
        shared.delete(key);
        void found.close();
      }, LINGER_MS).unref();
    },
  };
}

function open(key: string, { starter: starting, ...options }: JoinOptions): Shared {
  const starter = createServerStarter(starting);
  const pool = new LanguageServerPool({
    ...options,
    start: ({ file, args, env }, folder) => starter.start({ file, args, folder, ...(env && { env }) }),
  });
  const opened: Shared = {
    pool,
    users: 0,
    close: async () => {
      await pool.close();
      await starter.close();
    },
  };
  shared.set(key, opened);
  return opened;
}
