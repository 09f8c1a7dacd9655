import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sha256 } from '../sha256.ts';

export type Lock = { release(): Promise<void> };

/**
 * Takes a file for this process; null when another has it. The lock is a listening socket, so that it ends
 * with its owner however that ends: no file is left behind that would have to be judged stale.
 */
export async function lockFile(file: string): Promise<Lock | null> {
  const address = addressOf(file);
  const server = await listen(address);
  if (server) return held(server);
  if (!isSocketFile(address) || (await isAnswered(address))) return null;
  // Its owner died, and the name stayed.
  rmSync(address, { force: true });
  const second = await listen(address);
  return second && held(second);
}

function held(server: Server): Lock {
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Linux has names that are no files; Windows has pipes; elsewhere it is a file in the folder for such. */
function addressOf(file: string): string {
  const name = `aca-lock-${sha256(realName(path.resolve(file))).slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`);
}

/** A home behind a link is the same home. What is not there yet is named from the folder that is. */
function realName(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realName(folder), path.basename(file));
  }
}

function isSocketFile(address: string): boolean {
  return address.startsWith('/');
}

/** Null when the address is taken. A system that lets nobody listen has no locks: then everybody may. */
function listen(path: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? null : server),
    );
    server.listen({ path, exclusive: true }, () => resolve(server));
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
