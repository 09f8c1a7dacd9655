import { UserError } from '../contract/errors.ts';
import { unlessErrno } from '../lib/files/errno.ts';
import { type Lock, lockFile, tryLock } from '../lib/files/lock.ts';

/**
 * Only one process at a time writes to a session. If the disk cannot hold a lock, sessions can still be read,
 * or deleted to free space: locking is retried before each write, which then reports the error itself.
 */
export class SessionLock {
  readonly #file: string;
  #lock: Lock | null;

  /** Not held before the first write: no other process knows a new session. */
  constructor(file: string, lock: Lock | null = null) {
    this.#file = file;
    this.#lock = lock;
  }

  /** Null if another process holds it. */
  static async open(file: string): Promise<SessionLock | null> {
    try {
      const lock = await lockFile(file);
      return lock && new SessionLock(file, lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return new SessionLock(file);
    }
  }

  /** Throws if another process writes to the session, also if it took over while this one was suspended. */
  readonly check = (): void => {
    this.#lock ??= this.#take();
    if (this.#lock?.isHeld() === false) throw takenOver();
  };

  release(): void {
    this.#lock?.release();
  }

  #take(): Lock | null {
    return unlessErrno('any', null, () => {
      const lock = tryLock(this.#file);
      if (!lock) throw takenOver();
      return lock;
    });
  }
}

function takenOver(): UserError {
  return new UserError(
    'another process opened the session',
    'Close it first, or continue in a copy with --fork.',
    { exit: 'error' },
  );
}
