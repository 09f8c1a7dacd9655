import { createWriteStream, type WriteStream } from 'node:fs';
import path from 'node:path';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';

/** A command must not fill the user's disk. */
const MAX_FILE_BYTES = 1024 ** 3;
const PENDING_BYTES = 1024 ** 2;
/** A hanging disk must not delay the result. */
const CLOSE_MS = 5_000;

/** The file with the whole output, and why it ends early if it does. No file if none was needed. */
export type Spilled = { file?: string; stopped?: string };

/** Output too long for memory, in order of arrival. Output before `open` is buffered and written first. */
export type Spill = {
  open(): void;
  /** False: pause the source until `onRoom`. */
  push(chunk: Buffer): boolean;
  end(): Promise<Spilled>;
};

export type SpillOptions = { file: string; maxBytes?: number; onDrain(): void };

/** A disk error ends the writing, never the command. */
export function createSpill({ file, maxBytes = MAX_FILE_BYTES, onDrain }: SpillOptions): Spill {
  let waiting: Buffer[] = [];
  let stream: WriteStream | undefined;
  let closed = Promise.resolve();
  let stopped: string | undefined;
  let taken = 0;

  function stop(because: string): void {
    stopped ??= because;
    waiting = [];
    onDrain();
  }

  function write(chunk: Buffer): boolean {
    if (stopped !== undefined || !stream) return true;
    const room = maxBytes - taken;
    taken += chunk.length;
    if (chunk.length <= room) return stream.write(chunk);
    stream.write(chunk.subarray(0, room));
    stop('the limit per command was reached');
    return true;
  }

  return {
    open() {
      if (stream || stopped !== undefined) return;
      try {
        makePrivateFolder(path.dirname(file));
      } catch (error) {
        return stop(reasonOf(error));
      }
      const opened = createWriteStream(file, { mode: 0o600, highWaterMark: PENDING_BYTES });
      opened.on('error', (error) => stop(reasonOf(error)));
      opened.on('drain', onDrain);
      closed = new Promise((resolve) => opened.once('close', () => resolve()));
      stream = opened;
      for (const chunk of waiting) write(chunk);
      waiting = [];
    },
    push(chunk) {
      if (stream) return write(chunk);
      if (stopped === undefined) waiting.push(chunk);
      return true;
    },
    async end() {
      waiting = [];
      stream?.end();
      await within(closed, CLOSE_MS);
      const written = stream !== undefined && stream.bytesWritten > 0;
      return { ...(written && { file }), ...(stopped !== undefined && { stopped }) };
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits for the work, but no longer than this; returns whether it is done. */
export async function within(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isDone = await Promise.race([work.then(() => true), limit]);
  clearTimeout(timer);
  return isDone;
}
