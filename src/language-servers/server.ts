import path from 'node:path';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { LanguageServerState } from '../contract/code-intelligence.ts';
import { limited, onAbort, raceAbort } from '../lib/async/abort.ts';
import { oneAtATime } from '../lib/async/one-at-a-time.ts';
import { type CheckedFile, type CheckRequest, checkFiles, type WantedFile } from './check-files.ts';
import { type LanguageClient, openClient, type ServerProcess } from './client.ts';
import { stateOf } from './disk.ts';
import { Documents } from './documents.ts';
import { whenHanging } from './hanging.ts';
import type { Language, ServerProgram } from './languages.ts';
import { Texts } from './texts.ts';

/** A program that was found, by its path. */
export type FoundProgram = ServerProgram & { file: string };

export type StartServer = (program: FoundProgram, root: string) => Promise<ServerProcess>;

export type ServerOptions = {
  language: Language;
  root: string;
  program: FoundProgram;
  start: StartServer;
  limits?: Partial<typeof defaultServerLimits>;
};

export const defaultServerLimits = {
  /** How long one answer may take; then the server counts as hanging, unless it says that it is loading. */
  answerMs: 60_000,
  /** How long it may take if it says so. */
  loadMs: 600_000,
  startMs: 30_000,
  /** How long it may take to publish something for a text; then nothing is known about that. */
  publishMs: 30_000,
  /** The wait before it starts again after a crash; doubled each time. */
  backoffMs: 1_000,
  /** Crashes in a row after which it does not start again by itself. */
  mostCrashes: 5,
  openDocuments: 64,
};

/** A server that ran this long without trouble has recovered. */
const RECOVERED_MS = 60_000;

const HOLD_MS = 60_000;

/** Why nothing is known. */
class Unavailable extends Error {}

type Running = { process: ServerProcess; client: LanguageClient; texts: Texts; config: string };

/** Requests that are waiting for their turn, answered together. Its signal aborts when nobody waits any more. */
type Batch = { requests: CheckRequest[]; waiting: number; ending: AbortController };

/** One server for one root and language, shared by all sessions. Started on first use, restarted after a crash. */
export class LanguageServer {
  readonly #options: ServerOptions;
  readonly #limits: typeof defaultServerLimits;
  readonly #documents = new Documents<Diagnostic>();
  readonly #inTurn = oneAtATime();
  /** Paths that changed on disk since the server was last told; true if they did not exist before. */
  readonly #changed = new Map<string, boolean>();
  #running: Running | undefined;
  #batch: Batch | undefined;
  #starting = false;
  #crashes = 0;
  #startedAt = 0;
  #restarts = 0;
  #notBefore = 0;
  #trouble = '';
  #isClosed = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#limits = { ...defaultServerLimits, ...options.limits };
  }

  get root(): string {
    return this.#options.root;
  }

  state(): LanguageServerState {
    const { language, root, program } = this.#options;
    const isFailed = this.#trouble !== '' && !this.#running;
    return {
      name: program.name,
      language: language.name,
      root,
      program: program.file,
      phase: this.#running ? 'ready' : this.#starting ? 'starting' : isFailed ? 'failed' : 'idle',
      trouble: this.#trouble,
      documents: this.#documents.size,
      restarts: this.#restarts,
      sandbox: this.#running?.process.sandbox ?? '',
    };
  }

  /** A path changed on disk, whoever changed it. `isNew`: nothing was there before. */
  noticed(file: string, { isNew }: { isNew: boolean }): void {
    // A server that starts later reads the disk as it is then.
    if (!this.#running && !this.#starting) return;
    this.#changed.set(file, this.#changed.get(file) ?? isNew);
  }

  /** Starts it and opens the file, so that the first check is fast. */
  async warmUp(file: string): Promise<void> {
    await this.check([{ path: file }], limited(this.#limits.answerMs)).catch(() => undefined);
  }

  /** Whether its diagnostics can be requested, or say which text they are for: otherwise none of them count. */
  get givesDiagnostics(): boolean {
    const { program } = this.#options;
    if (program.diagnostics !== undefined) return program.diagnostics === 'tsserver';
    return !this.#documents.isVague || (this.#running?.client.signals.pulls().length ?? 0) > 0;
  }

  /** Changes when it says on its own that it knows more than what it was asked for. */
  get news(): number {
    return this.#documents.corrections + (this.#running?.client.signals.refreshed ?? 0);
  }

  /** Never rejects: what is not certain is unknown. `onChecked` is called for each file that is checked before the last. */
  async check(
    files: readonly WantedFile[],
    signal: AbortSignal,
    onChecked: (file: CheckedFile) => void = () => undefined,
  ): Promise<CheckedFile[]> {
    const { program } = this.#options;
    try {
      if (!this.givesDiagnostics)
        throw new Unavailable(this.#says('does not say which text its diagnostics are for'));
      return await this.#inBatch({ files, onChecked }, signal);
    } catch (error) {
      const because = signal.aborted ? `${program.name} did not answer in time` : messageOf(error);
      return files.map(({ path: file }) => ({ now: { path: file, type: 'unknown', because } }));
    }
  }

  /**
   * A request about files that the server must have as they are on disk. Rejects with a sentence, also when others keep
   * the server busy for too long.
   */
  async ask<T>(
    method: string,
    { files, params }: { files: readonly string[]; params: (textOf: (file: string) => string) => unknown },
    signal: AbortSignal,
  ): Promise<{ result: T; textOf(file: string): string | undefined }> {
    const limit = limited(this.#limits.answerMs, signal);
    const asked = this.#using(limit, async ({ client, texts }, until) => {
      texts.followDisk();
      for (const file of files) texts.showAsOnDisk(file);
      const textOf = (file: string) => this.#documents.text(file);
      const given = params((file) => textOf(file) ?? '');
      const result = await client.request<T>(method, given, until);
      return { result, textOf };
    });
    return asked.catch((error: unknown) => {
      if (limit.aborted && !signal.aborted) throw new Unavailable(this.#says('did not answer in time'));
      throw error;
    });
  }

  /** Starts again with the next use, also after it crashed too often. */
  async restart(): Promise<void> {
    this.#crashes = 0;
    this.#notBefore = 0;
    this.#trouble = '';
    await this.#stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  /** With all other checks that wait: each text is sent and checked once for all of them. */
  async #inBatch(
    wanted: Pick<CheckRequest, 'files' | 'onChecked'>,
    signal: AbortSignal,
  ): Promise<CheckedFile[]> {
    signal.throwIfAborted();
    const batch = this.#batch ?? this.#newBatch();
    batch.waiting += 1;
    const answered = new Promise<CheckedFile[]>((answer, fail) =>
      batch.requests.push({ ...wanted, answer, fail }),
    );
    const waiter = onAbort(signal, () => {
      batch.waiting -= 1;
      if (batch.waiting === 0) batch.ending.abort(signal.reason);
    });
    return raceAbort(answered, signal).finally(() => waiter.off());
  }

  #newBatch(): Batch {
    const batch: Batch = { requests: [], waiting: 0, ending: new AbortController() };
    this.#batch = batch;
    const { requests, ending } = batch;
    const leave = () => {
      if (this.#batch === batch) this.#batch = undefined;
    };
    onAbort(ending.signal, leave);
    this.#using(ending.signal, ({ client, texts }, until) => {
      leave();
      return this.#checkAll(requests, { client, texts, signal: until });
    }).catch((error: unknown) => {
      leave();
      for (const { fail } of requests) fail(error);
    });
    return batch;
  }

  async #checkAll(
    requests: readonly CheckRequest[],
    { client, texts, signal }: { client: LanguageClient; texts: Texts; signal: AbortSignal },
  ): Promise<void> {
    const { program } = this.#options;
    const { openDocuments, publishMs } = this.#limits;
    const documents = this.#documents;
    await checkFiles(requests, { client, documents, texts, program, publishMs }, signal);
    for (const file of documents.beyond(openDocuments)) texts.close(file);
  }

  /** One use at a time: no text changes while the server works on an answer. */
  #using<T>(signal: AbortSignal, work: (running: Running, until: AbortSignal) => Promise<T>): Promise<T> {
    const using = this.#inTurn(async () => {
      signal.throwIfAborted();
      const running = await this.#ready(signal);
      const { signal: hanging, stop } = whenHanging(running.client.signals, this.#limits);
      const gone = new AbortController();
      void running.client.lost.then((because) => gone.abort(new Unavailable(this.#says(because))));
      const until = AbortSignal.any([hanging, gone.signal, signal]);
      try {
        return await raceAbort(work(running, until), until);
      } catch (error) {
        if (hanging.aborted && !signal.aborted) {
          const because = messageOf(hanging.reason);
          await this.#crashed(because);
          throw new Unavailable(this.#says(because));
        }
        throw error;
      } finally {
        stop();
      }
    });
    // The process and its pipes do not keep the program running; a use of it does.
    const hold = setInterval(() => undefined, HOLD_MS);
    return raceAbort(using, signal).finally(() => clearInterval(hold));
  }

  async #ready(signal: AbortSignal): Promise<Running> {
    const { program, root, language } = this.#options;
    const config = stateOf((language.restartOn ?? []).map((file) => path.join(root, file)));
    if (this.#running && this.#running.config !== config) await this.#stop();
    if (this.#running) return this.#running;
    if (this.#isClosed) throw new Unavailable(`${program.name} is closed`);
    const wait = this.#notBefore - Date.now();
    if (this.#crashes >= this.#limits.mostCrashes)
      throw new Unavailable(`${program.name} crashed ${this.#crashes} times: ${this.#trouble}`);
    if (wait > 0) throw new Unavailable(`${program.name} starts again soon: ${this.#trouble}`);
    this.#starting = true;
    try {
      // Not with the caller's limit: starting takes as long as it takes, and the next use finds it ready.
      this.#running = await this.#start(config, limited(this.#limits.startMs));
    } catch (error) {
      const because = error instanceof DOMException ? 'did not start in time' : messageOf(error);
      this.#countCrash(because);
      throw new Unavailable(this.#says(because));
    } finally {
      this.#starting = false;
    }
    signal.throwIfAborted();
    return this.#running;
  }

  async #start(config: string, signal: AbortSignal): Promise<Running> {
    const { program, root, start, language } = this.#options;
    this.#documents.clear();
    const server = await start(program, root);
    try {
      const client = await openClient(
        {
          server,
          root,
          initializationOptions: program.initializationOptions,
          followsProgress: program.ignoreProgress !== true,
          onPublished: (file, version, items) => this.#documents.publish(file, version, items),
        },
        signal,
      );
      const documents = this.#documents;
      const texts = new Texts({ client, documents, language, changed: this.#changed });
      const running = { process: server, client, texts, config };
      void client.lost.then((because) => {
        if (this.#running === running) void this.#crashed(because);
      });
      this.#startedAt = Date.now();
      this.#trouble = '';
      return running;
    } catch (error) {
      await server.end();
      throw error;
    }
  }

  async #crashed(because: string): Promise<void> {
    if (Date.now() - this.#startedAt > RECOVERED_MS) this.#crashes = 0;
    this.#countCrash(because);
    await this.#stop();
  }

  #countCrash(because: string): void {
    this.#crashes += 1;
    this.#restarts += 1;
    this.#trouble = because;
    this.#notBefore = Date.now() + this.#limits.backoffMs * 2 ** (this.#crashes - 1);
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#documents.clear();
    if (!running) return;
    running.client.close();
    await running.process.end();
  }

  #says(because: string): string {
    return `${this.#options.program.name} ${because}`;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
