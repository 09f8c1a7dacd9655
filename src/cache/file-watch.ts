import type { FSWatcher } from 'chokidar';

/** Watches single files. Nothing is loaded or watched until the first has been added for a while. */
export type FileWatch = {
  add(file: string): void;
  remove(file: string): void;
  close(): Promise<void>;
};

export type FileWatchOptions = { onChange(file: string): void; quietMs?: number };

/** After this time the turn is likely to be over. */
const QUIET_MS = 2_000;

export function createFileWatch({ onChange, quietMs = QUIET_MS }: FileWatchOptions): FileWatch {
  const wanted = new Set<string>();
  let starting: Promise<FSWatcher> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function start(): Promise<FSWatcher> {
    const { watch } = await import('chokidar');
    const watcher = watch([...wanted], { ignoreInitial: true, followSymlinks: false, persistent: false });
    watcher.on('all', (_event, file) => onChange(file));
    // Cached values are validated before use, so a file that cannot be watched is not a problem.
    watcher.on('error', () => undefined);
    if (closed) await watcher.close();
    return watcher;
  }

  return {
    add(file) {
      if (closed || wanted.has(file)) return;
      wanted.add(file);
      if (starting) void starting.then((watcher) => watcher.add(file));
      timer ??= setTimeout(() => {
        starting = start();
      }, quietMs).unref();
    },
    remove(file) {
      if (wanted.delete(file)) void starting?.then((watcher) => watcher.unwatch(file));
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await (await starting)?.close();
    },
  };
}
