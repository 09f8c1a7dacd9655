import { randomUUID } from 'node:crypto';
import { endFamily } from './process-group.ts';
import { createWatchdog } from './watchdog.ts';

/** Between TERM and KILL. */
const GRACE_MS = 1_000;
/** In the environment of every kept program, inherited by all its processes. */
const MARK = 'AI_ASSISTANT_SERVER';

/** Manages programs that run beside the conversation, each the leader of its own group. */
export type ProcessKeeper = {
  /** Identifies its programs after this process has ended, for `endKept`. */
  readonly session: string;
  /** For the environment of the next program, and to identify it. */
  mark(): { id: string; env: Readonly<Record<string, string>> };
  /** From here on it ends with this process, however that ends. */
  watch(leader: number): void;
  /** For one that has ended by itself. */
  forget(leader: number): void;
  /** Ends it and all its processes: TERM, then KILL. */
  end(leader: number, id: string): Promise<void>;
  /** Ends all remaining programs. */
  close(): Promise<void>;
};

export function createProcessKeeper({ path }: { path: string | undefined }): ProcessKeeper {
  const session = randomUUID();
  const everything = { name: MARK, prefix: `${session}:` };
  const watchdog = createWatchdog(everything, path);
  const leaders = new Set<number>();
  let count = 0;
  return {
    session,
    mark() {
      const id = `${session}:${++count};`;
      return { id, env: { [MARK]: id } };
    },
    watch(leader) {
      leaders.add(leader);
      watchdog.watch(leader);
    },
    forget(leader) {
      leaders.delete(leader);
      watchdog.forget(leader);
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

/** Ends programs that are still running although the process that kept them was killed. */
export async function endKept(session: string): Promise<void> {
  await endFamily({ leaders: [], mark: { name: MARK, prefix: `${session}:` } }, GRACE_MS);
}
