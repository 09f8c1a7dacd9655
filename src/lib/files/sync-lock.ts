import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';

const PATIENCE_MS = 5_000;
const STALE_MS = 10_000;
/** A lock is signed at once: the owner of one that is still empty after this time was killed before it could. */
const UNSIGNED_STALE_MS = 2_000;
const PAUSE_MS = 2;

const owner = `${process.pid} ${hostname()}`;

/**
 * Runs a short deed while no other process runs one under the same lock, which is a file; waits for them. A lock whose
 * owner has gone is taken over. Throws when it cannot be had in a few seconds.
 */
export function withSyncLock<T>(lock: string, deed: () => T): T {
  const until = Date.now() + PATIENCE_MS;
  while (!take(lock)) {
    if (isStale(lock)) removeStale(lock);
    else if (Date.now() > until) throw new Error(`${lock} is held by another process`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  try {
    return deed();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(lock, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
  writeSync(descriptor, owner);
  closeSync(descriptor);
  return true;
}

/** Of a process on this machine it is known whether it lives; of others only how old the lock is. */
function isStale(lock: string): boolean {
  const { text, ageMs } = lookAt(lock);
  const [pid = '', host] = text.split(' ');
  if (host === hostname() && Number(pid) > 0 && !isAlive(Number(pid))) return true;
  return ageMs > (text === '' ? UNSIGNED_STALE_MS : STALE_MS);
}

function lookAt(lock: string): { text: string; ageMs: number } {
  try {
    return { text: readFileSync(lock, 'utf8'), ageMs: Date.now() - statSync(lock).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { text: '', ageMs: 0 };
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Moved away first: of several that find it stale one gets it, and a fresh one that came between is put back. */
function removeStale(lock: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (!isStale(aside)) linkSync(aside, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  rmSync(aside, { force: true });
}
