import { randomUUID } from 'node:crypto';
import { endFamily } from './process-group.ts';
import { createWatchdog } from './watchdog.ts';

/** Between asking a program to end and making it. */
const GRACE_MS = 1_000;
/** In the environment of every program kept, and by inheritance of all it starts. */
const MARK = 'AI_ASSISTANT_SERVER';

/** Keeps hold of programs that run beside the conversation, each the leader of its own group. */
export type ProcessKeeper = {
  /** For the environment of the next program, and to name it by. */
  mark(): { id: string; env: Readonly<Record<string, string>> };
  /** From here on it ends with this process, however that ends. */
  watch(leader: number): void;
  /** Ends it and all it started: TERM, then KILL. */
  end(leader: number, id: string): Promise<void>;
  /** Ends whoever is left. */
  close(): Promise<void>;
};

export function createProcessKeeper({ path }: { path: string | undefined }): ProcessKeeper {
  const session = randomUUID();
  const everything = { name: MARK, prefix: `${session}:` };
  const watchdog = createWatchdog(everything, path);
  const leaders = new Set<number>();
  let count = 0;
  return {
    mark() {
      const id = `${session}:${++count};`;
      return { id, env: { [MARK]: id } };
    },
    watch(leader) {
      leaders.add(leader);
      watchdog.watch(leader);
    },
    async end(leader, id) {
      await endFamily({ leaders: [leader], mark: { name: MARK, prefix: id } }, GRACE_MS);
      leaders.delete(leader);
      watchdog.forget(leader);
    },
    async close() {
      if (leaders.size > 0) await endFamily({ leaders: [...leaders], mark: everything }, GRACE_MS);
      await watchdog.close();
    },
  };
}
