import type { FileDiagnostics, Finding } from '../contract/code-intelligence.ts';
import { limited, unlessAborted } from '../lib/async/abort.ts';
import type { CheckedFile, WantedFile } from './check-files.ts';
import { textOnDisk } from './disk.ts';
import { newFindings } from './new-findings.ts';
import type { LanguageServerPool } from './pool.ts';
import type { LanguageServer } from './server.ts';

/** A change of a file as the undo journal recorded it. */
export type SeenChange = {
  path: string;
  existed: boolean;
  /** The content before; null if there was no file. */
  before(): Uint8Array | null;
  /** Whether a call of this session made it. Otherwise the user did, or another program. */
  byCall: boolean;
};

export type SessionDiagnosticsOptions = {
  pool: LanguageServerPool;
  /** How long a run waits for results. */
  limitMs: number;
  /** Files that a change of this one may break, although nobody touches them. */
  dependents?(file: string): Promise<readonly string[]>;
  /** Aborted when the session ends. */
  signal: AbortSignal;
};

/** `unknown`: files whose state is not known, with the reason; each is reported once. */
export type Settled = {
  fresh: readonly Finding[];
  unknown: readonly Extract<FileDiagnostics, { type: 'unknown' }>[];
};

const NOTHING: Settled = { fresh: [], unknown: [] };

/** Files checked at once: those that changed, and the latest ones that changed earlier. */
const MOST_FILES = 20;

/** How long the model waits for what it has asked for. */
const ASKED_MS = 60_000;

/** The new errors that the calls of one session caused, from the servers that all sessions share. */
export class SessionDiagnostics {
  readonly #options: SessionDiagnosticsOptions;
  /** Changed since they were last known, with the text before the first change. */
  readonly #touched = new Map<string, string | null>();
  /** The errors when a file was last known, in order of use. */
  readonly #known = new Map<string, readonly Finding[]>();
  readonly #reported = new Set<string>();
  /** Servers that failed, which was reported: their reason would be the same after each change. */
  readonly #saidFailures = new Set<LanguageServer>();
  /** The dependents of files that changed. */
  readonly #dependents = new Map<string, Promise<readonly string[]>>();
  /** What each server had said on its own when it was last asked. */
  readonly #heard = new Map<LanguageServer, number>();
  /** A check that the run no longer waits for. */
  #late: Promise<unknown> | undefined;
  #hasNews = false;

  constructor(options: SessionDiagnosticsOptions) {
    this.#options = options;
  }

  /** Call for every change in the journal. */
  seen({ path: file, existed, before, byCall }: SeenChange): void {
    const { pool } = this.#options;
    pool.noticed(file, { isNew: !existed });
    if (!pool.serverFor(file)?.givesDiagnostics) return;
    if (!byCall) {
      this.#known.delete(file);
      return;
    }
    this.#hasNews = true;
    this.#reported.delete(file);
    if (this.#touched.has(file)) return;
    const bytes = existed ? before() : null;
    this.#touched.set(file, bytes === null ? null : Buffer.from(bytes).toString('utf8'));
    const { dependents } = this.#options;
    // The state before counts as long as it can be known: until the first check of the change.
    if (bytes === null || !dependents || this.#known.has(file)) return;
    // Without them, only the changed files are checked.
    this.#dependents.set(
      file,
      dependents(file).catch(() => []),
    );
  }

  /** The file was read: it is likely to be changed next. */
  warmUp(file: string): void {
    const server = this.#options.pool.serverFor(file);
    if (server?.state().phase === 'idle') void server.warmUp(file);
  }

  /**
   * Call when the calls of a reply have ended. Waits at most for the limit: a check that takes longer goes on, and
   * the next call reports what is true then. `isLast`: the run is about to end, so what a server corrected since
   * counts, too.
   */
  async settle(signal: AbortSignal, { isLast }: { isLast: boolean } = { isLast: false }): Promise<Settled> {
    if (isLast) this.#touchCorrected();
    if (this.#touched.size === 0 || (this.#late && !this.#hasNews)) return NOTHING;
    this.#hasNews = false;
    const limit = limited(this.#options.limitMs, signal);
    const touched = new Set(this.#touched.keys());
    // It has the baseline, and the servers would work on it first anyway.
    const lacksBaseline = [...touched].some((file) => !this.#known.has(file));
    if (this.#late && lacksBaseline) await unlessAborted(this.#late, limit);
    const dependents = await this.#dependentsOf(touched, limit);
    const wanted = [...this.#byServer(dependents)];
    const arrived = new Map<string, FileDiagnostics>();
    const checking = Promise.all(wanted.map(([server, files]) => this.#check(server, files, arrived)));
    const late = checking.finally(() => {
      if (this.#late === late) this.#late = undefined;
    });
    this.#late = late;
    await unlessAborted(checking, limit);
    if (signal.aborted) return NOTHING;
    const because = `there was no answer within ${this.#options.limitMs / 1_000}s`;
    const files = [...touched, ...wanted.flatMap(([, all]) => all.map((one) => one.path))];
    const missing = files.filter((file) => !arrived.has(file));
    this.#checkLater(
      missing.filter((file) => dependents.has(file)),
      checking,
    );
    // Nobody asked about a dependent: only its errors matter.
    for (const [file, { type }] of arrived)
      if (type === 'unknown' && dependents.has(file)) arrived.delete(file);
    for (const file of missing)
      if (!dependents.has(file)) arrived.set(file, { path: file, type: 'unknown', because });
    const results = [...arrived.values()];
    const unknown = results.filter((now) => now.type === 'unknown');
    for (const { path: file } of unknown) if (!this.#touched.has(file)) this.#touched.set(file, null);
    const news = unknown.filter(({ path: file }) => !this.#reported.has(file) && !this.#hasSaidFailure(file));
    for (const { path: file } of news) this.#reported.add(file);
    for (const { path: file } of news) this.#noteFailure(file);
    return {
      fresh: results.flatMap((now) => (now.type === 'known' ? this.#learn(now) : [])),
      unknown: news,
    };
  }

  #hasSaidFailure(file: string): boolean {
    const server = this.#options.pool.serverFor(file);
    return server !== null && this.#saidFailures.has(server);
  }

  #noteFailure(file: string): void {
    const server = this.#options.pool.serverFor(file);
    if (server?.state().phase === 'failed') this.#saidFailures.add(server);
  }

  /** Everything that is wrong with a file now. Waits longer than a run does, because the model has asked. */
  async current(file: string, signal: AbortSignal): Promise<FileDiagnostics> {
    const server = this.#options.pool.serverFor(file);
    if (!server) return { path: file, type: 'unknown', because: 'no language server for it is installed' };
    const [checked] = await server.check([{ path: file }], limited(ASKED_MS, signal));
    return checked?.now ?? { path: file, type: 'unknown', because: 'nothing was checked' };
  }

  /** Files whose server has said on its own that it knows more now. */
  #touchCorrected(): void {
    for (const file of this.#known.keys()) {
      const server = this.#options.pool.serverFor(file);
      if (!server || this.#touched.has(file) || server.news === this.#heard.get(server)) continue;
      this.#touched.set(file, null);
      this.#hasNews = true;
    }
  }

  /** Files nobody touched that these changes may break, as far as they are found in time. */
  async #dependentsOf(touched: ReadonlySet<string>, limit: AbortSignal): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const all = [...touched].map(async (file) => {
      for (const one of (await this.#dependents.get(file)) ?? [])
        if (!this.#touched.has(one) && !this.#known.has(one)) found.add(one);
      this.#dependents.delete(file);
    });
    await unlessAborted(Promise.all(all), limit);
    return new Set(found);
  }

  /** What the run did not wait for is compared again once it is known what was wrong before. */
  #checkLater(files: readonly string[], checking: Promise<unknown>): void {
    const touch = () => {
      for (const file of files) {
        if (!this.#known.has(file) || this.#touched.has(file)) continue;
        this.#touched.set(file, null);
        this.#hasNews = true;
      }
    };
    checking.then(touch, () => undefined);
  }

  #byServer(dependents: ReadonlySet<string>): Map<LanguageServer, WantedFile[]> {
    const { pool } = this.#options;
    const changed = [...this.#touched].map(
      ([file, before]): WantedFile => (this.#known.has(file) ? { path: file } : { path: file, before }),
    );
    const earlier = [...this.#known.keys()].reverse().filter((file) => !this.#touched.has(file));
    const untouched = [...dependents].flatMap((file): WantedFile[] => {
      const before = textOnDisk(file);
      return before === null ? [] : [{ path: file, before, isOther: true }];
    });
    const found = new Map<LanguageServer, WantedFile[]>();
    for (const file of [...changed, ...earlier.map((one) => ({ path: one, isOther: true })), ...untouched]) {
      const server = pool.serverFor(file.path);
      const files = server && (found.get(server) ?? []);
      // A server whose files did not change has nothing new to say.
      const isRelated = this.#touched.has(file.path) || (files?.length ?? 0) > 0;
      if (server && files && isRelated && files.length < MOST_FILES) found.set(server, [...files, file]);
    }
    return found;
  }

  /** Learns what was wrong before the changes, even if it comes too late for this reply. */
  async #check(
    server: LanguageServer,
    files: readonly WantedFile[],
    arrived: Map<string, FileDiagnostics>,
  ): Promise<void> {
    const onChecked = ({ now, before }: CheckedFile) => {
      if (before && !this.#known.has(now.path)) this.#known.set(now.path, errorsIn(before));
      arrived.set(now.path, now);
    };
    for (const checked of await server.check(files, this.#options.signal, onChecked)) onChecked(checked);
    this.#heard.set(server, server.news);
  }

  /** The errors that are new. */
  #learn({ path: file, findings }: Extract<FileDiagnostics, { type: 'known' }>): Finding[] {
    const errors = errorsIn(findings);
    const server = this.#options.pool.serverFor(file);
    if (server) this.#saidFailures.delete(server);
    const fresh = newFindings(this.#known.get(file) ?? [], errors);
    this.#known.delete(file);
    this.#known.set(file, errors);
    this.#touched.delete(file);
    this.#reported.delete(file);
    return fresh;
  }
}

function errorsIn(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === 'error');
}
