import { randomUUID } from 'node:crypto';
import { openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * An open file without a name that holds a text, to be a command's standard input; whoever asks closes it. A pipe of
 * the runtime is a socket, and bash takes a socket for a remote login: it would run the user's start-up files.
 */
export function openInput(text: string): number {
  const file = path.join(tmpdir(), `aca-input-${randomUUID()}`);
  const fd = openSync(file, 'wx+', 0o600);
  unlinkSync(file);
  const bytes = Buffer.from(text);
  // At places of their own, so that the reader begins at the start.
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  return fd;
}
