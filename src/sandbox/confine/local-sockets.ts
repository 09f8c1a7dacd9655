import { lstatSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { realPath } from '../files/real-path.ts';

/** How long a server may take to answer; one that does not still counts. */
const CONNECT_MS = 200;

/**
 * Sockets of other programs that would do for a command what it may not do itself: all listening ones on this
 * machine, and those in the project that accept a connection. A socket without a listener is only a file, and
 * stays one: a server that starts there creates a new one.
 */
export function createSocketSearch(): (inProjects: readonly string[]) => Promise<string[]> {
  /** By path: the inode without a listener. */
  const stale = new Map<string, bigint>();

  async function answers(file: string): Promise<boolean> {
    const inode = socketInode(file);
    if (inode === null) return false;
    if (stale.get(file) === inode) return false;
    if (await isListening(file)) return true;
    stale.set(file, inode);
    return false;
  }

  return async (inProjects) => {
    const listening = listeningSockets().filter((file) => socketInode(file) !== null);
    const known = new Set(listening);
    const others = inProjects.filter((file) => !known.has(file));
    const answering = await Promise.all(others.map(async (file) => ((await answers(file)) ? [file] : [])));
    return [...known, ...answering.flat()];
  };
}

/** Paths from the kernel's list for this network namespace. Empty on systems other than Linux. */
function listeningSockets(): string[] {
  return unlessErrno(['ENOENT', 'EACCES', 'EPERM'], [], () =>
    readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .flatMap((line) => {
        const file = /^(?:\S+ +){6}\d+ (\/.*)$/.exec(line)?.[1];
        return file === undefined ? [] : [path.join(realPath(path.dirname(file)), path.basename(file))];
      }),
  );
}

function socketInode(file: string): bigint | null {
  return unlessErrno(['ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP'], null, () => {
    const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return stat?.isSocket() ? stat.ino : null;
  });
}

function isListening(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: file });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_MS, () => end(true));
    socket.once('connect', () => end(true));
    // Another socket type, or not accessible to us: there may be a listener.
    socket.once('error', (error) => end(!isErrno(error, ['ECONNREFUSED', 'ENOENT'])));
  });
}
