import { type FSWatcher, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

/** File system events reach a process in order: the system keeps one queue for it. */
export type Barrier = {
  /**
   * Creates a file and resolves when its event has arrived; then all earlier events have arrived, too. False
   * on a timeout.
   */
  pass(): Promise<boolean>;
  close(): void;
};

const MAX_WAIT_MS = 2_000;

export function createBarrier(folder: string, onSilence: () => void): Barrier {
  let watcher: FSWatcher | undefined;
  let closed = false;
  let count = 0;
  const waiting = new Map<string, (passed: boolean) => void>();

  function open(): void {
    makePrivateFolder(folder);
    watcher = watch(folder, { persistent: false }, (_event, name) => waiting.get(name ?? '')?.(true));
    watcher.on('error', () => close());
  }

  function close(): void {
    closed = true;
    watcher?.close();
    for (const notify of waiting.values()) notify(false);
    rmSync(folder, { recursive: true, force: true });
  }

  return {
    pass() {
      if (closed) return Promise.resolve(false);
      count++;
      const name = String(count);
      return new Promise((resolve) => {
        const giveUp = () => {
          if (!waiting.has(name)) return;
          waiting.get(name)?.(false);
          onSilence();
        };
        // Events that arrived while the process was busy are delivered before an immediate.
        const timer = setTimeout(() => setImmediate(giveUp), MAX_WAIT_MS);
        waiting.set(name, (passed) => {
          clearTimeout(timer);
          waiting.delete(name);
          resolve(passed);
          rmSync(path.join(folder, name), { force: true });
        });
        try {
          if (!watcher) open();
          writeFileSync(path.join(folder, name), '');
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          giveUp();
        }
      });
    },
    close,
  };
}
