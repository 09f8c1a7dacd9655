import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * An open, unnamed file with a text, for a command's standard input; the caller closes it. A pipe of the
 * runtime is a socket, and bash treats a socket as a remote login: it would run the user's startup files.
 */
export function openInput(text: string): number {
  const file = path.join(tmpdir(), `aca-input-${randomUUID()}`);
  const fd = openSync(file, 'wx+', 0o600);
  unlinkSync(file);
  const bytes = Buffer.from(text);
  // At explicit positions, so that the reader starts at the beginning.
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  return fd;
}
