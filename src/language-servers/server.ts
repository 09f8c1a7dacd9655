import path from 'node:path';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { FileDiagnostics, Finding, LanguageServerState } from '../contract/code-intelligence.ts';
import { limited, raceAbort } from '../lib/async/abort.ts';
import { oneAtATime } from '../lib/async/one-at-a-time.ts';
import { type LanguageClient, openClient, type ServerProcess, toUri } from './client.ts';
import { diagnose, findingsOf, isPulled } from './diagnose.ts';
import { isThere, stateOf, textOnDisk } from './disk.ts';
import { Documents } from './documents.ts';
import { endingOf, type Language, type ServerProgram } from './languages.ts';

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

/** `before`: the text before it was changed, null if there was no file; absent if nobody asks for it. */
export type WantedFile = { path: string; before?: string | null };

/** `before` is what was wrong with the earlier text; absent if it was not asked for or is not known. */
export type CheckedFile = { now: FileDiagnostics; before?: readonly Finding[] };

export const defaultServerLimits = {
  /** How long one answer may take; then the server counts as hanging. */
  answerMs: 60_000,
  startMs: 30_000,
  /** The wait before it starts again after a crash; doubled each time. */
  backoffMs: 1_000,
  /** Crashes in a row after which it does not start again by itself. */
  mostCrashes: 5,
  openDocuments: 64,
};

/** A server that ran this long without trouble has recovered. */
const RECOVERED_MS = 60_000;

const HOLD_MS = 60_000;

const CREATED = 1;
const CHANGED = 2;
const DELETED = 3;

/** Why nothing is known. */
class Unavailable extends Error {}

type Running = { process: ServerProcess; client: LanguageClient; config: string };

/** One server for one root and language, shared by all sessions. Started on first use, restarted after a crash. */
export class LanguageServer {
  readonly #options: ServerOptions;
  readonly #limits: typeof defaultServerLimits;
  readonly #documents = new Documents<Diagnostic>();
  readonly #inTurn = oneAtATime();
  /** Paths that changed on disk since the server was last told; true if they did not exist before. */
  readonly #changed = new Map<string, boolean>();
  #running: Running | undefined;
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

  /** Never rejects: what is not certain is unknown. */
  check(files: readonly WantedFile[], signal: AbortSignal): Promise<CheckedFile[]> {
    const { program } = this.#options;
    const unknown = (because: string) =>
      files.map(({ path: file }): CheckedFile => ({ now: { path: file, type: 'unknown', because } }));
    return this.#using(signal, (running, until) => this.#check(running, files, until)).catch(
      (error: unknown) =>
        unknown(signal.aborted ? `${program.name} did not answer in time` : messageOf(error)),
    );
  }

  /** A request about files that the server must have as they are on disk. Rejects with a sentence. */
  ask<T>(
    method: string,
    { files, params }: { files: readonly string[]; params: (textOf: (file: string) => string) => unknown },
    signal: AbortSignal,
  ): Promise<{ result: T; textOf(file: string): string | undefined }> {
    return this.#using(signal, async ({ client }, until) => {
      this.#tellChanges(client);
      for (const file of files) this.#show(client, file, { text: textOnDisk(file), afresh: false });
      const textOf = (file: string) => this.#documents.text(file);
      const given = params((file) => textOf(file) ?? '');
      const result = await client.request<T>(method, given, until);
      return { result, textOf };
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

  /** One use at a time: no text changes while the server works on an answer. */
  #using<T>(signal: AbortSignal, work: (running: Running, until: AbortSignal) => Promise<T>): Promise<T> {
    const using = this.#inTurn(async () => {
      signal.throwIfAborted();
      const running = await this.#ready(signal);
      const hanging = limited(this.#limits.answerMs);
      const until = AbortSignal.any([hanging, signal]);
      const gone = running.client.lost.then((because) =>
        Promise.reject(new Unavailable(this.#says(because))),
      );
      gone.catch(() => undefined);
      try {
        return await raceAbort(Promise.race([work(running, until), gone]), until);
      } catch (error) {
        if (hanging.aborted && !signal.aborted) {
          const because = `did not answer for ${this.#limits.answerMs / 1_000}s`;
          await this.#crashed(because);
          throw new Unavailable(this.#says(because));
        }
        throw error;
      }
    });
    // The process and its pipes do not keep the program running; a use of it does.
    const hold = setInterval(() => undefined, HOLD_MS);
    return raceAbort(using, signal).finally(() => clearInterval(hold));
  }

  async #check(running: Running, files: readonly WantedFile[], signal: AbortSignal): Promise<CheckedFile[]> {
    const { client } = running;
    const before = await this.#earlier(running, files, signal);
    this.#tellChanges(client);
    for (const { path: file } of files) this.#show(client, file, { text: textOnDisk(file), afresh: false });
    const afresh = !isPulled({ client, program: this.#options.program });
    if (afresh)
      for (const { path: file } of files) this.#show(client, file, { text: textOnDisk(file), afresh });
    const checked = await Promise.all(
      files.map(async ({ path: file }): Promise<CheckedFile> => {
        const earlier = before.get(file);
        return { now: await this.#now(running, file, signal), ...(earlier && { before: earlier }) };
      }),
    );
    for (const file of this.#documents.beyond(this.#limits.openDocuments)) this.#close(client, file);
    return checked;
  }

  /** What was wrong with the texts before they changed, all of them at once. */
  async #earlier(
    running: Running,
    files: readonly WantedFile[],
    signal: AbortSignal,
  ): Promise<Map<string, readonly Finding[]>> {
    const found = new Map<string, readonly Finding[]>();
    const existed: { path: string; text: string }[] = [];
    for (const { path: file, before } of files) {
      if (before === null) found.set(file, []);
      else if (before !== undefined) existed.push({ path: file, text: before });
    }
    for (const { path: file, text } of existed) this.#show(running.client, file, { text, afresh: false });
    await Promise.all(
      existed.map(async ({ path: file, text }) => {
        const items = await this.#diagnose(running, file, signal);
        found.set(file, this.#findings(file, text, items));
      }),
    );
    return found;
  }

  async #now(running: Running, file: string, signal: AbortSignal): Promise<FileDiagnostics> {
    const text = this.#documents.text(file);
    const version = this.#documents.version(file);
    // It was deleted, or is not a text.
    if (text === undefined) return { path: file, type: 'known', findings: [] };
    const items = await this.#diagnose(running, file, signal);
    if (this.#documents.version(file) !== version || textOnDisk(file) !== text)
      return { path: file, type: 'unknown', because: 'it was changed while it was checked' };
    return { path: file, type: 'known', findings: this.#findings(file, text, items) };
  }

  #findings(file: string, text: string, items: readonly Diagnostic[]): Finding[] {
    return findingsOf(file, text, { items, source: this.#options.program.name });
  }

  #diagnose({ client }: Running, file: string, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const { program } = this.#options;
    return diagnose(file, { client, documents: this.#documents, program }, signal);
  }

  /** Everything that changed on disk: texts that the server has, and those that it only knows of. */
  #tellChanges(client: LanguageClient): void {
    const events = [...this.#changed].map(([file, isNew]) => ({
      uri: toUri(file),
      type: isThere(file) ? (isNew ? CREATED : CHANGED) : DELETED,
    }));
    this.#changed.clear();
    if (events.length > 0) {
      this.#documents.worldChanged();
      client.notify('workspace/didChangeWatchedFiles', { changes: events });
    }
    for (const file of this.#documents.paths())
      this.#show(client, file, { text: textOnDisk(file), afresh: false });
  }

  #show(
    client: LanguageClient,
    file: string,
    { text, afresh }: { text: string | null; afresh: boolean },
  ): void {
    if (text === null) {
      this.#close(client, file);
      return;
    }
    const { type, version } = this.#documents.set(file, text, { afresh });
    const uri = toUri(file);
    if (type === 'none') return;
    if (type === 'change') {
      client.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
      client.notify('textDocument/didSave', { textDocument: { uri } });
      return;
    }
    if (type === 'reopen') client.notify('textDocument/didClose', { textDocument: { uri } });
    const languageId = this.#options.language.extensions[endingOf(file)] ?? 'plaintext';
    client.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  }

  #close(client: LanguageClient, file: string): void {
    if (this.#documents.close(file))
      client.notify('textDocument/didClose', { textDocument: { uri: toUri(file) } });
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
    const { program, root, start } = this.#options;
    this.#documents.clear();
    const server = await start(program, root);
    try {
      const client = await openClient(
        {
          server,
          root,
          initializationOptions: program.initializationOptions,
          onPublished: (file, version, items) => this.#documents.publish(file, version, items),
        },
        signal,
      );
      const running = { process: server, client, config };
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
