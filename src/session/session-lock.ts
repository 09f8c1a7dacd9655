import { UserError } from '../contract/errors.ts';
import { type Lock, lockFile, tryLock } from '../lib/files/lock.ts';

/**
 * One process at a time writes to a session. A disk that takes no lock does not keep anybody from reading a session, or
 * from deleting one to make room: it is tried again before each write, which then says itself what is wrong.
 */
export class SessionLock {
  readonly #file: string;
  #lock: Lock | null;

  /** Not held before the first write: of a new session nobody else knows. */
  constructor(file: string, lock: Lock | null = null) {
    this.#file = file;
    this.#lock = lock;
  }

  /** Null when another process has it. */
  static async open(file: string): Promise<SessionLock | null> {
    try {
      const lock = await lockFile(file);
      return lock && new SessionLock(file, lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return new SessionLock(file);
    }
  }

  /** Throws when another process writes to the session, also if it took over while this one was suspended. */
  readonly check = (): void => {
    this.#lock ??= this.#take();
    if (this.#lock?.isHeld() === false) throw takenOver();
  };

  release(): void {
    this.#lock?.release();
  }

  #take(): Lock | null {
    try {
      const lock = tryLock(this.#file);
      if (!lock) throw takenOver();
      return lock;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return null;
    }
  }
}

function takenOver(): UserError {
  return new UserError(
    'another process has opened the session',
    'End that one first, or go on in a copy with --fork.',
    { exit: 'error' },
  );
}
