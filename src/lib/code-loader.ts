import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import type { CodeStore } from './code-store.ts';

export type CodeOptions = {
  /** Absolute: where the files are. */
  root: string;
  /** A fingerprint of each file's content by its name; the engine itself tells sources apart by length only. */
  fingerprints: Readonly<Record<string, string>>;
  /** Null: nothing is kept. */
  store: CodeStore | null;
  /** Told of each file and the milliseconds it took by itself, without those it loaded in turn. */
  onLoad?(name: string, ms: number): void;
  /** For everything but our own files. */
  require: (name: string) => unknown;
};

type Loaded = { script: vm.Script; module: LoadedModule; kept: boolean };
/** `outside` is import(), which code compiled from a cache has not. */
type LoadedModule = { exports: unknown; outside(name: string): Promise<unknown> };
type Wrapped = (this: unknown, ...scope: unknown[]) => void;

const HEAD = '(function(exports,require,module,__filename,__dirname){';

/**
 * Loads CommonJS files by their paths from the root, and keeps what the engine made of them, functions it
 * compiled on their first call included: the next process need not compile them again.
 */
export class CodeLoader {
  readonly #options: CodeOptions;
  readonly #loaded = new Map<string, Loaded>();
  #settled = false;
  /** What files took that were loaded by the one that is being loaded. */
  #within = 0;

  constructor(options: CodeOptions) {
    this.#options = options;
  }

  load(name: string): unknown {
    return this.#loadFile(path.join(this.#options.root, name));
  }

  /**
   * Keeps what was compiled anew. The first call, made when the start is over, refreshes every file as soon as one was
   * missing, because a run that needs another file calls other functions of the rest, too. Later the engine may have
   * dropped what is not called any more, so later calls keep only what came since.
   */
  save(): void {
    const { store, fingerprints } = this.#options;
    const missing = [...this.#loaded].filter(([, { kept }]) => !kept);
    const chosen = this.#settled || missing.length === 0 ? missing : [...this.#loaded];
    this.#settled = true;
    if (!store || chosen.length === 0) return;
    const files = new Map<string, Buffer>();
    for (const [file, loaded] of chosen) {
      const name = this.#storedName(file);
      if (name !== undefined) files.set(name, loaded.script.createCachedData());
      loaded.kept = true;
    }
    store.write(files);
    const current = new Set(Object.entries(fingerprints).map(([name, print]) => storedName(name, print)));
    store.prune((name) => current.has(name));
  }

  #loadFile(file: string): unknown {
    const known = this.#loaded.get(file);
    if (known) return known.module.exports;
    const { onLoad } = this.#options;
    if (!onLoad) return this.#loadNew(file);
    const [begun, within] = [performance.now(), this.#within];
    this.#within = 0;
    const loaded = this.#loadNew(file);
    const took = performance.now() - begun;
    onLoad(path.basename(file), took - this.#within);
    this.#within = within + took;
    return loaded;
  }

  #loadNew(file: string): unknown {
    const loaded = this.#compile(file);
    this.#loaded.set(file, loaded);
    const { module, script } = loaded;
    const folder = path.dirname(file);
    const require = (name: string) =>
      name.startsWith('.') ? this.#loadFile(path.join(folder, name)) : this.#options.require(name);
    try {
      // The source is an expression that makes a function of these parameters.
      const run = script.runInThisContext() as Wrapped;
      run.call(module.exports, module.exports, require, module, file, folder);
    } catch (error) {
      this.#loaded.delete(file);
      throw error;
    }
    return module.exports;
  }

  #compile(file: string): Loaded {
    const name = this.#storedName(file);
    const cachedData = name === undefined ? undefined : this.#options.store?.read(name);
    const script = new vm.Script(`${HEAD}${readFileSync(file, 'utf8')}\n})`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(cachedData && { cachedData }),
    });
    const kept = cachedData !== undefined && script.cachedDataRejected === false;
    return { script, module: { exports: {}, outside: (name) => import(name) }, kept };
  }

  #storedName(file: string): string | undefined {
    const name = path.basename(file);
    const print = this.#options.fingerprints[name];
    return print === undefined ? undefined : storedName(name, print);
  }
}

function storedName(name: string, fingerprint: string): string {
  return `${name}.${fingerprint}`;
}
