import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { CommandOutcome, CommandRun } from '../../contract/tool.ts';
import { createCapture } from './capture.ts';
import { createSpill, type Spill, type Spilled, within } from './spill.ts';

const MAX_STREAM_BYTES = 10 * 1024 * 1024;
/**
 * How long output may still arrive after the shell itself has ended: a child left behind can hold the pipe
 * forever.
 */
const DRAIN_MS = 500;
const DRAIN_STEP_MS = 25;
/** A hanging disk must not delay the result. */
const MAX_HELD_MS = 5_000;

/** The process started for a command; its streams are the command's own. */
export type Child = {
  process: Pick<ChildProcess, 'once'>;
  stdout: Readable;
  stderr: Readable;
  /** What the end of the process means for the command. */
  explain?(ending: Ending): Ending;
};
/** `note` is a message from the sandbox for the reader of the output. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null; note?: string };

export type Following = Pick<CommandRun, 'timeoutMs' | 'signal' | 'onOutput'> & {
  /** The file for output too long for memory; without it, the output is only cut. */
  outputFile?: string;
  /** Ends the command and all its processes. */
  stop(): Promise<void>;
  /** Called at the time limit: takes the command over and returns its new id, or null to have it stopped. */
  takeOver?(ended: Promise<Ending>): string | null;
};

/** Resolves once the shell has ended and its output is read, as far as it arrives soon. */
export async function endOf({ process, stdout, stderr, explain }: Child): Promise<Ending> {
  const closed = new Promise<void>((resolve) => process.once('close', () => resolve()));
  const ending = await new Promise<Ending>((resolve, reject) => {
    process.once('exit', (code, signal) => resolve({ code, signal }));
    process.once('error', (error) => reject(new Error(`Could not start the shell: ${error.message}`)));
  });
  await drained(closed, [stdout, stderr]);
  return explain?.(ending) ?? ending;
}

/** While the streams are paused because of a slow disk, no output can arrive: that time does not count. */
async function drained(closed: Promise<void>, streams: readonly Readable[]): Promise<void> {
  const latest = performance.now() + MAX_HELD_MS;
  for (let left = DRAIN_MS; left > 0 && performance.now() < latest; ) {
    if (await within(closed, DRAIN_STEP_MS)) return;
    if (!streams.some((stream) => stream.isPaused())) left -= DRAIN_STEP_MS;
  }
}

/**
 * From a started child to its outcome: collects output, enforces the timeout and the abort, and never waits
 * on a held pipe.
 */
export async function followCommand(
  child: Child,
  run: Following,
): Promise<Omit<CommandOutcome, 'durationMs' | 'sandbox'>> {
  const output = collect(child, run);
  const ended = endOf(child);
  let timedOut = false;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= run.stop();
  };
  let timer: NodeJS.Timeout | undefined;
  const taken = new Promise<Taken>((resolve) => {
    timer = setTimeout(() => {
      timedOut = true;
      const background = stopping === undefined ? (run.takeOver?.(ended) ?? null) : null;
      // In the same turn: what arrives next belongs to the background.
      if (background === null) stop();
      else resolve({ background, soFar: output.end('open') });
    }, run.timeoutMs);
  });
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();

  try {
    // A command may succeed at the moment of its timeout; then it was not stopped.
    child.process.once('exit', () => clearTimeout(timer));
    const end = await Promise.race([ended, taken]);
    if ('background' in end) {
      const { background, soFar } = end;
      return { ...(await soFar), exitCode: null, signal: null, timedOut, background };
    }
    const { code, signal, note = '' } = end;
    await stopping;
    const { stderr, ...streams } = await output.end('closed');
    return { ...streams, stderr: stderr + note, exitCode: code, signal, timedOut };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', stop);
  }
}

type Output = Pick<CommandOutcome, 'stdout' | 'stderr' | 'fullOutput'>;
type Taken = { background: string; soFar: Promise<Output> };

function collect(child: Child, { onOutput, outputFile }: Following) {
  const spill =
    outputFile === undefined
      ? undefined
      : createSpill({ file: outputFile, onDrain: () => forBoth((stream) => stream.resume()) });
  const streams = [child.stdout, child.stderr];
  const forBoth = (act: (stream: Readable) => void) => {
    for (const stream of streams) act(stream);
  };
  const take = (chunk: Buffer) => {
    if (spill?.push(chunk) === false) forBoth((stream) => stream.pause());
  };
  const stdout = captureStream(child.stdout, { take, spill });
  const stderr = captureStream(child.stderr, { take, spill });
  const followers = streams.map((stream) => followText(stream, onOutput));
  return {
    /** `open`: somebody else reads on. */
    async end(streamsAre: 'open' | 'closed'): Promise<Output> {
      for (const follower of followers) follower.end();
      const texts = { stdout: stdout.end(), stderr: stderr.end() };
      forBoth(streamsAre === 'closed' ? letGo : (stream) => stream.resume());
      const { file, stopped }: Spilled = (await spill?.end()) ?? {};
      if (stopped !== undefined) texts.stderr += earlyEnd(stopped);
      return { ...texts, ...(file !== undefined && { fullOutput: file }) };
    },
  };
}

function earlyEnd(because: string): string {
  return `\n[The saved output is incomplete: ${because}]\n`;
}

type Taking = { take(chunk: Buffer): void; spill: Spill | undefined };

function captureStream(stream: Readable, { take, spill }: Taking): { end(): string } {
  const capture = createCapture(MAX_STREAM_BYTES);
  let bytes = 0;
  const listen = (chunk: Buffer) => {
    capture.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_STREAM_BYTES) spill?.open();
    take(chunk);
  };
  stream.on('data', listen);
  return {
    end() {
      stream.off('data', listen);
      return capture.text();
    },
  };
}

/** Decodes a stream as text, without splitting characters. */
export function followText(stream: Readable, onText: CommandRun['onOutput']): { end(): void } {
  if (!onText) return { end: () => undefined };
  const decoder = new StringDecoder('utf8');
  const emit = (text: string) => {
    if (text !== '') onText(text);
  };
  const listen = (chunk: Buffer) => emit(decoder.write(chunk));
  stream.on('data', listen);
  return {
    end() {
      stream.off('data', listen);
      emit(decoder.end());
    },
  };
}

/**
 * A child left behind may keep writing, and would die of a closed pipe; so the pipe stays open and its data
 * is discarded, without keeping this process alive.
 */
export function letGo(stream: Readable): void {
  stream.resume();
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
