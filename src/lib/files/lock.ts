import { randomBytes } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  lutimesSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pause } from '../async/abort.ts';
import { sha256 } from '../sha256.ts';
import { unlessErrno } from './errno.ts';
import { makePrivateFolder } from './private-folder.ts';
import { isRunning, isVisible, type ProcessName, thisProcess } from './process-identity.ts';

/** Another process has held a lock for longer than the caller waits. */
export class LockedError extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`Another process is changing ${file}.`);
    this.file = file;
  }
}

/**
 * A lock is a symbolic link next to its file, whose target names the owner. It is created atomically and
 * works for all processes that see the same folder, by any path and from any container. An owner with the
 * same kernel and process table holds it until it ends. Other owners' processes are not visible: they send a
 * heartbeat, the time of the link, every few seconds, and count as dead after half a minute without one. An
 * owner that was suspended for that long detects it with `isHeld`; there is no protection between that check
 * and its next write.
 */
export type Lock = {
  /** Whether it has not been taken over. */
  isHeld(): boolean;
  release(): void;
};

type PlaceOptions = {
  /** Its folder is not created. The lock is null if that is missing, also if it disappears meanwhile. */
  inExisting?: boolean;
};
export type LockOptions = PlaceOptions & { maxWaitMs?: number; signal?: AbortSignal };

type Owner = ProcessName & { token: string };
type Found = { owner: Owner | null; token: string; aliveAt: number };

const HEARTBEAT_MS = 5_000;
const SILENT_MS = 30_000;
/** How long a silent owner is watched before it counts as dead. */
const WATCH_MS = HEARTBEAT_MS + 2_000;
const LONGEST_PAUSE_MS = 10;

/**
 * Waits as long as requested; null if another process still holds it. Throws if the disk cannot hold a lock.
 */
export async function lockFile(
  file: string,
  { maxWaitMs = 0, signal = new AbortController().signal, ...options }: LockOptions = {},
): Promise<Lock | null> {
  const watch = new Watch();
  const place = placeOf(file, options);
  for (const until = performance.now() + maxWaitMs; ; ) {
    signal.throwIfAborted();
    const lock = takeIn(place, watch, options);
    if (lock || (performance.now() >= until && !watch.isUndecided)) return lock;
    await pause(watch.isUndecided ? 10 * LONGEST_PAUSE_MS : 1 + Math.random() * LONGEST_PAUSE_MS, signal);
  }
}

/** Does not wait. Null if another process holds it. Throws if the disk cannot hold a lock. */
export function tryLock(file: string, options: PlaceOptions = {}): Lock | null {
  return takeIn(placeOf(file, options), new Watch(), options);
}

/** Whether a process seems to hold it. For display only: it may change at any moment. */
export function isLocked(file: string): boolean {
  const found = look(`${path.resolve(file)}.lock`);
  return found !== null && !isAbandoned(found, new Watch());
}

/**
 * Runs short synchronous work while no other process holds the same lock. Blocks this process while waiting;
 * throws after `maxWaitMs`.
 */
export function withSyncLock<T>(file: string, action: () => T, maxWaitMs = 10_000): T {
  const place = placeOf(file);
  const watch = new Watch();
  const until = performance.now() + maxWaitMs;
  let lock = take(place, watch);
  for (; !lock; lock = take(place, watch)) {
    if (performance.now() > until) throw new LockedError(file);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  }
  try {
    return action();
  } finally {
    lock.release();
  }
}

/**
 * The name to lock instead of a user file, so that nothing is created next to it: a name in our own folder,
 * the same for all paths that lead to the file.
 */
export function lockNameIn(folder: string, file: string): string {
  return path.join(folder, sha256(realName(path.resolve(file))).slice(0, 32));
}

/** Removes locks that killed processes left in a folder; keeps those that may still be held. */
export function removeAbandoned(folder: string): void {
  const names = unlessErrno('any', null, () => readdirSync(folder)) ?? [];
  for (const name of names.filter((one) => /\.lock(\.[0-9a-f]{10})*$/.test(one))) {
    const place = path.join(folder, name);
    unlessErrno('any', null, () => {
      const found = look(place);
      if (found && isAbandoned(found, new Watch())) remove(place, found.token);
    });
  }
}

function takeIn(place: string, watch: Watch, { inExisting = false }: PlaceOptions): Lock | null {
  return unlessErrno(inExisting ? ['ENOENT'] : [], null, () => take(place, watch));
}

function placeOf(file: string, { inExisting = false }: PlaceOptions = {}): string {
  const { dir, base } = path.parse(path.resolve(file));
  if (!inExisting) makePrivateFolder(dir);
  const real = unlessErrno(inExisting ? ['ENOENT'] : [], dir, () => realpathSync.native(dir));
  return path.join(real, `${base}.lock`);
}

/** A home behind a link is the same home. A missing file is named by its existing parent folder. */
function realName(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realName(folder), path.basename(file));
  }
}

function take(place: string, watch: Watch): Lock | null {
  const token = claim(place, watch);
  if (token === null) return null;
  let aliveAt = Date.now();
  const isHeld = () => textAt(place)?.endsWith(`.${token}`) ?? false;
  const heartbeat = () => {
    if (!isHeld()) return;
    lutimesSync(place, Date.now() / 1000, Date.now() / 1000);
    aliveAt = Date.now();
  };
  const signs = setInterval(() => unlessErrno('any', null, heartbeat), HEARTBEAT_MS).unref();
  return {
    isHeld,
    release() {
      clearInterval(signs);
      const removeOwn = () => isHeld() && unlinkSync(place);
      // While it sends heartbeats, no other process considers it dead.
      if (Math.abs(Date.now() - aliveAt) < WATCH_MS) unlessErrno('any', null, removeOwn);
      // On a full disk the removal lock cannot be acquired, but this lock must still be removed.
      else unlessErrno('any', null, () => remove(place, token)) ?? unlessErrno('any', null, removeOwn);
    },
  };
}

/** The token of this process's lock; null if another process holds it. */
function claim(place: string, watch: Watch): string | null {
  for (;;) {
    const token = randomBytes(5).toString('hex');
    if (create(place, textOf({ ...thisProcess(), token }))) return token;
    const found = look(place);
    // A network file system may repeat the request and report that its own new link already exists.
    if (found?.token === token) return token;
    if (found && !(isAbandoned(found, watch) && remove(place, found.token))) return null;
  }
}

/**
 * Removes the lock with this token and no other; false if another process is removing it. Holds a lock on
 * that token meanwhile: otherwise another process could remove it and a new lock appear between check and
 * removal.
 */
function remove(place: string, token: string): boolean {
  const turn = `${place}.${token}`;
  if (claim(turn, new Watch()) === null) return false;
  try {
    if (look(place)?.token === token) unlinkSync(place);
  } finally {
    unlinkSync(turn);
  }
  return true;
}

/** False if one exists. */
function create(
  place: string,
  text: string,
  make = process.platform === 'win32' ? makeFile : symlinkSync,
): boolean {
  try {
    make(text, place);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (make === symlinkSync && NO_LINKS.includes(code)) return create(place, text, makeFile);
    throw error;
  }
}

/** Error codes of file systems without links. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** If its owner was killed before writing to it, the file names no owner: then only its age counts. */
function makeFile(text: string, place: string): void {
  const descriptor = openSync(place, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
  } catch (error) {
    unlinkSync(place);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function look(place: string): Found | null {
  return unlessErrno(['ENOENT'], null, () => {
    const { mtimeMs } = lstatSync(place);
    const owner = ownerIn(textAt(place) ?? '');
    return { owner, token: owner?.token ?? '', aliveAt: mtimeMs };
  });
}

/** Null if there is no lock. */
function textAt(place: string): string | null {
  try {
    return readlinkSync(place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    // A file, where links are not possible; Windows reports UNKNOWN.
    if (code === 'EINVAL' || code === 'UNKNOWN') return readFileSync(place, 'utf8');
    throw error;
  }
}

function textOf({ pid, started, pids, boot, host, token }: Owner): string {
  return [pid, started, pids, boot, host, token].join('.');
}

/** Null if it is not a complete owner record. */
function ownerIn(text: string): Owner | null {
  const [pid, started = '', pids = '', boot = '', host = '', token = ''] = text.split('.');
  return token.length === 10 ? { pid: Number(pid), started, pids, boot, host, token } : null;
}

function isAbandoned({ owner, token, aliveAt }: Found, watch: Watch): boolean {
  watch.isUndecided = false;
  const running = owner ? isRunning(owner) : 'unknown';
  if (owner && isVisible(owner)) {
    if (running === false) return true;
    // Without the start time, it may be another process with the same pid.
    if (owner.started !== '') return false;
  }
  if (Math.abs(Date.now() - aliveAt) <= SILENT_MS) return false;
  return running === false || watch.isUnchanged(`${token} ${aliveAt}`);
}

/**
 * Whether an owner stays silent while watched: clocks of two machines differ, and a suspended owner may
 * resume.
 */
class Watch {
  isUndecided = false;
  #seen = '';
  #since = 0;

  isUnchanged(sign: string): boolean {
    if (sign !== this.#seen) this.#since = performance.now();
    this.#seen = sign;
    this.isUndecided = performance.now() - this.#since < WATCH_MS;
    return !this.isUndecided;
  }
}
