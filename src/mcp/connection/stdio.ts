import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { startFailure, startOrExplain } from '../../lib/paths/start-failure.ts';
import { plain } from '../plain.ts';
import { launched } from './command-line.ts';
import { createLineReader } from './line-reader.ts';

/** Ends programs with all their children, also if this process is gone. */
export type ProcessKeeper = {
  mark(): { id: string; env: Readonly<Record<string, string>> };
  watch(leader: number): void;
  end(leader: number, id: string): Promise<void>;
  close(): Promise<void>;
};

export type Program = { command: string; args: readonly string[]; cwd: string; env: Record<string, string> };

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How long a server may take to exit once its input is closed. */
const EXIT_GRACE_MS = 300;
const MAX_STDERR = 4_000;

/** A server as a child process: messages as lines on its stdin and stdout. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #program: Program;
  readonly #keeper: ProcessKeeper;
  #child: Child | undefined;
  #ending: Promise<void> | undefined;
  #id = '';
  #stderr = '';
  #trouble = '';

  constructor(program: Program, keeper: ProcessKeeper) {
    this.#program = program;
    this.#keeper = keeper;
  }

  /** Details about a failure: our reason, or the last output of the program. */
  get lastWords(): string {
    return this.#trouble || plain(this.#stderr).split('\n').slice(-5).join('\n');
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#program;
    const { id, env: mark } = this.#keeper.mark();
    this.#id = id;
    const { platform } = process;
    const line = launched({ command, args, env, platform });
    const start = () =>
      spawn(line.file, line.args, {
        cwd,
        env: { ...env, ...mark },
        windowsVerbatimArguments: line.verbatim,
        stdio: ['pipe', 'pipe', 'pipe'],
        // Its own process group, so that all of it can be ended, and without interrupts from the terminal.
        detached: platform !== 'win32',
        windowsHide: true,
      });
    const child = startOrExplain(start, { cwd, command });
    this.#child = child;
    child.once('exit', () => this.#gone());
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-MAX_STDERR);
    });
    const reader = createLineReader((message) => this.#take(message));
    const listen = (chunk: Buffer) => {
      const trouble = reader.push(chunk);
      if (trouble === null) return;
      this.#trouble = trouble;
      child.stdout.off('data', listen);
      child.stdout.resume();
      void this.close();
    };
    child.stdout.on('data', listen);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.#trouble = startFailure(error, { cwd, command });
        reject(new Error(this.#trouble));
      });
    });
    if (child.pid !== undefined) this.#keeper.watch(child.pid);
    // A server must never keep the program from exiting; pending requests have timers.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) unref(stream);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin?.writable) throw new Error('Not connected');
    // A server that does not read blocks nothing: requests have their own time limits.
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child || child.pid === undefined) return;
    this.#ending ??= this.#end(child);
    await this.#ending;
  }

  async #end(child: Child): Promise<void> {
    child.stdin.end();
    const left = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (isAlive(child)) await Promise.race([left, sleep(EXIT_GRACE_MS)]);
    // Also if it has exited by itself: its children may still run.
    if (child.pid !== undefined) await this.#keeper.end(child.pid, this.#id);
    this.onclose?.();
  }

  #gone(): void {
    const child = this.#child;
    if (!child) return;
    this.#ending ??= this.#end(child);
  }

  #take(message: object): void {
    // The listener validates messages; here they only have to be JSON.
    this.onmessage?.(message as JSONRPCMessage);
  }
}

function isAlive(child: Child): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
