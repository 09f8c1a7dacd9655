import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * An open file without a name, to pass content to a child process as a descriptor; the caller closes it. Two
 * reasons not to use a pipe: the runtime's pipes are sockets, and bash treats a socket as a remote login and
 * runs the user's startup files; and a reader that waits for the end waits until the event loop is idle.
 */
export function openUnnamedFile(content: string | Buffer): number {
  const bytes = Buffer.from(content);
  // The second one is in memory, for when the disk is full.
  const folders = process.platform === 'linux' ? [tmpdir(), '/dev/shm'] : [tmpdir()];
  let failure: unknown;
  for (const folder of folders) {
    try {
      return createUnnamed(path.join(folder, `aca-input-${process.pid}-${randomUUID()}`), bytes);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function createUnnamed(file: string, bytes: Buffer): number {
  const fd = openSync(file, 'wx+', 0o600);
  try {
    unlinkSync(file);
    // At explicit positions, so that the reader starts at the beginning.
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
