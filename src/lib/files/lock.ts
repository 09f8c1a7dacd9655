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
import { makePrivateFolder } from './private-folder.ts';
import { isRunning, isVisible, type ProcessName, thisProcess } from './process-identity.ts';

/** Another process has held a lock for longer than anybody should. */
export class LockedError extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`Another process is changing ${file}.`);
    this.file = file;
  }
}

/**
 * A lock is a link beside the file it is for, whose target names the owner: it appears whole or not at all, and holds for
 * all who see the same folder, by whatever path and from whatever container. An owner of this kernel and process table
 * holds it until it ends. The process of another one cannot be looked up: it gives a sign of life, the time of the
 * link, every few seconds, and is taken for dead after half a minute without one. An owner that slept through that
 * time finds out by `isHeld`; what it does between that question and its next write is not guarded.
 */
export type Lock = {
  /** Whether nobody has taken it over. */
  isHeld(): boolean;
  release(): void;
};

export type LockOptions = { patienceMs?: number; signal?: AbortSignal };

type Owner = ProcessName & { token: string };
type Found = { owner: Owner | null; token: string; aliveAt: number };

const SIGN_OF_LIFE_MS = 5_000;
const SILENT_MS = 30_000;
/** How long a silent owner is watched before it is taken for dead. */
const WATCH_MS = SIGN_OF_LIFE_MS + 2_000;
const LONGEST_PAUSE_MS = 10;

/** Waits as long as it is told to; null when another process has it then. Throws when the disk takes no lock. */
export async function lockFile(
  file: string,
  { patienceMs = 0, signal = new AbortController().signal }: LockOptions = {},
): Promise<Lock | null> {
  const watch = new Watch();
  const place = placeOf(file);
  for (const until = performance.now() + patienceMs; ; ) {
    signal.throwIfAborted();
    const lock = take(place, watch);
    if (lock || (performance.now() >= until && !watch.isUndecided)) return lock;
    await pause(watch.isUndecided ? 10 * LONGEST_PAUSE_MS : 1 + Math.random() * LONGEST_PAUSE_MS, signal);
  }
}

/** Without waiting. Null when another process has it. Throws when the disk takes no lock. */
export function tryLock(file: string): Lock | null {
  return take(placeOf(file), new Watch());
}

/**
 * Runs a short deed while no other process runs one under the same lock. Waits for them, and nothing else goes on in this
 * process meanwhile: throws when they take longer than `patienceMs`.
 */
export function withSyncLock<T>(file: string, deed: () => T, patienceMs = 10_000): T {
  const place = placeOf(file);
  const watch = new Watch();
  const until = performance.now() + patienceMs;
  let lock = take(place, watch);
  for (; !lock; lock = take(place, watch)) {
    if (performance.now() > until) throw new LockedError(file);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  }
  try {
    return deed();
  } finally {
    lock.release();
  }
}

/**
 * What to lock instead of a file that is not ours, so that nothing appears beside it: a name in a folder of our own, for
 * all paths that lead to the file.
 */
export function lockNameIn(folder: string, file: string): string {
  return path.join(folder, sha256(realName(path.resolve(file))).slice(0, 32));
}

/** Removes what killed processes left in a folder; whatever may still be held stays. */
export function removeAbandoned(folder: string): void {
  const names = ignoringErrno(() => readdirSync(folder)) ?? [];
  for (const name of names.filter((one) => /\.lock(\.[0-9a-f]{10})*$/.test(one))) {
    const place = path.join(folder, name);
    ignoringErrno(() => {
      const found = look(place);
      if (found && isAbandoned(found, new Watch())) remove(place, found.token);
    });
  }
}

function placeOf(file: string): string {
  const { dir, base } = path.parse(path.resolve(file));
  makePrivateFolder(dir);
  return path.join(realpathSync.native(dir), `${base}.lock`);
}

/** A home behind a link is the same home. What is not there yet is named from the folder that is. */
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
  const isHeld = () => look(place)?.token === token;
  const giveSign = () => {
    if (!isHeld()) return;
    lutimesSync(place, Date.now() / 1000, Date.now() / 1000);
    aliveAt = Date.now();
  };
  const signs = setInterval(() => ignoringErrno(giveSign), SIGN_OF_LIFE_MS).unref();
  return {
    isHeld,
    release() {
      clearInterval(signs);
      const removeOwn = () => isHeld() && unlinkSync(place);
      // While it gives signs of life, nobody takes it for dead.
      if (Math.abs(Date.now() - aliveAt) < WATCH_MS) ignoringErrno(removeOwn);
      // On a full disk there is no turn to be had, and it has to go all the same.
      else ignoringErrno(() => remove(place, token)) ?? ignoringErrno(removeOwn);
    },
  };
}

/** The token of this process's own lock; null when another has it. */
function claim(place: string, watch: Watch): string | null {
  for (;;) {
    const token = randomBytes(5).toString('hex');
    if (create(place, textOf({ ...thisProcess(), token }))) return token;
    const found = look(place);
    // A network file system may ask twice, and say that what it has just made was there before.
    if (found?.token === token) return token;
    if (found && !(isAbandoned(found, watch) && remove(place, found.token))) return null;
  }
}

/**
 * Removes the lock with this token and no other; false when another process is at it. Whoever does so holds a lock on that
 * very token meanwhile: between the look and the removal nobody else can remove it and a new one come in its place.
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

/** False when there is one already. */
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

/** What a file system without links says. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** One that its owner could not fill before it was killed names nobody: then only its age counts. */
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
  try {
    const stat = lstatSync(place);
    const text = stat.isSymbolicLink() ? readlinkSync(place) : readFileSync(place, 'utf8');
    const owner = ownerIn(text);
    return { owner, token: owner?.token ?? '', aliveAt: stat.mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function textOf({ pid, started, pids, boot, host, token }: Owner): string {
  return [pid, started, pids, boot, host, token].join('.');
}

/** Null where it is none, or not a whole one. */
function ownerIn(text: string): Owner | null {
  const [pid, started = '', pids = '', boot = '', host = '', token = ''] = text.split('.');
  return token.length === 10 ? { pid: Number(pid), started, pids, boot, host, token } : null;
}

function isAbandoned({ owner, token, aliveAt }: Found, watch: Watch): boolean {
  watch.isUndecided = false;
  const running = owner ? isRunning(owner) : 'unknown';
  if (owner && isVisible(owner)) {
    if (running === false) return true;
    // Without the time of its start, it may be another process of the same number.
    if (owner.started !== '') return false;
  }
  if (Math.abs(Date.now() - aliveAt) <= SILENT_MS) return false;
  return running === false || watch.isUnchanged(`${token} ${aliveAt}`);
}

/** Whether an owner stays silent while somebody looks: clocks of two machines differ, and one that slept wakes up. */
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

/** Null when the system refused. */
function ignoringErrno<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
