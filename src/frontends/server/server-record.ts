import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { unlessErrno } from '../../lib/files/errno.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { isRunning, thisProcess } from '../../lib/files/process-identity.ts';
import { parseJson } from '../../lib/text/json.ts';

const recordSchema = z.object({
  process: z.object({
    host: z.string(),
    boot: z.string(),
    pids: z.string(),
    pid: z.number(),
    started: z.string(),
  }),
  /** For programs on this machine. */
  url: z.string(),
  /** For links. */
  publicUrl: z.string(),
  version: z.string(),
  startedAt: z.string(),
});

/** The server that is running, as other processes find it. */
export type ServerRecord = z.infer<typeof recordSchema>;

/** The server's files in the data root: its token, invitations and certificate. */
export function serverFolder(root: string): string {
  return path.join(root, 'serve');
}

const fileIn = (root: string) => path.join(serverFolder(root), 'server.json');

/** Null if no server is running. */
export function findServer(root: string): ServerRecord | null {
  const text = unlessErrno(['ENOENT'], '', () => readFileSync(fileIn(root), 'utf8'));
  const { data } = recordSchema.safeParse(parseJson(text));
  return data && isRunning(data.process) !== false ? data : null;
}

export async function recordServer(
  root: string,
  server: Pick<ServerRecord, 'url' | 'publicUrl' | 'version'>,
): Promise<void> {
  const record: ServerRecord = { process: thisProcess(), startedAt: new Date().toISOString(), ...server };
  await updateFile(fileIn(root), (write) => write(`${JSON.stringify(record)}\n`));
}

export function forgetServer(root: string): void {
  rmSync(fileIn(root), { force: true });
}
