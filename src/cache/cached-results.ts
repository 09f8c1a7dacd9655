import type { CacheKind } from '../contract/cache.ts';
import type { FileStat, Files, ToolContext, ToolResult } from '../contract/tool.ts';
import type { CachedFiles } from './cached-files.ts';
import type { TreeWatch } from './tree-watch.ts';

/** A call whose answer may be kept. `target` is the one file or folder it looks at, as the model wrote it. */
export type KeptCall = {
  kind: 'read' | 'glob' | 'grep';
  key: string;
  target: string;
  context: Pick<ToolContext, 'files' | 'seen'>;
  report(kind: CacheKind, outcome: 'hit' | 'miss', entries: number): void;
};

/** `keeping` goes on after the answer is given. */
type Answer = { result: ToolResult; keeping?: Promise<void> };
type Run = (files: Files) => Promise<ToolResult>;
/** What a call found standing before it ran. */
type Before = { generation: number; stat: FileStat | null; isWatched: boolean };
/** The file that a read has read. */
type Seen = { sum: string; version: string };

export type CachedResultsOptions = {
  kept: CachedFiles;
  /** Starts with the first search. Null where a tree cannot be watched: searches are not kept there. */
  watchTree(): Pick<TreeWatch, 'covers' | 'settle'> | null;
  /** Told of files that reads were kept of. */
  onKept?(real: string): void;
};

/**
 * Answers of calls that only look. One is given again only if it is still true now: a read, if the file is the same by
 * its version; a search, if the tree under it is watched and all news of it was heard. The same call at the same moment
 * runs once.
 */
export class CachedResults {
  readonly #options: CachedResultsOptions;
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(options: CachedResultsOptions) {
    this.#options = options;
  }

  async through(call: KeptCall, run: Run): Promise<ToolResult> {
    const leader = this.#underWay.get(call.key);
    if (leader) {
      // Its answer may be older than this question: it is looked at like any other that is kept.
      await leader;
      return (await this.#answer(call, run)).result;
    }
    const answering = this.#answer(call, run);
    const over = answering.then(
      async ({ keeping }) => {
        await keeping;
        this.#underWay.delete(call.key);
      },
      () => void this.#underWay.delete(call.key),
    );
    this.#underWay.set(call.key, over);
    return (await answering).result;
  }

  /** Around a call that changes files: what is known of them is dropped before, and again after. Null: of all. */
  async around<T>(files: readonly string[] | null, action: () => Promise<T>): Promise<T> {
    const drop = () => {
      for (const file of files ?? [null]) this.#options.kept.changed(file);
    };
    drop();
    try {
      return await action();
    } finally {
      drop();
    }
  }

  /** Resolves when what was answered so far is kept. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #answer(call: KeptCall, run: Run): Promise<Answer> {
    const before = await this.#look(call);
    const found = await this.#find(call, before);
    call.report(call.kind, found ? 'hit' : 'miss', this.#options.kept[call.kind].size);
    return found ? { result: copyOf(found) } : this.#run(call, { run, before });
  }

  async #look({ kind, target, context }: KeptCall): Promise<Before> {
    const generation = this.#options.kept.generation();
    // A place that is closed is for the tool itself to refuse.
    const stat = await context.files.stat(target).catch(() => null);
    const isWatched =
      stat !== null && kind !== 'read' && (this.#options.watchTree()?.covers(stat.path) ?? false);
    return { generation, stat, isWatched };
  }

  async #find(call: KeptCall, { stat, isWatched }: Before): Promise<ToolResult | null> {
    const { kept } = this.#options;
    if (call.kind !== 'read') {
      const store = kept[call.kind];
      if (!isWatched || !(await store.get(call.key, ''))) return null;
      // News of a change that is already made may still be on its way.
      if (!(await this.#options.watchTree()?.settle())) return null;
      return (await store.get(call.key, ''))?.result ?? null;
    }
    if (stat?.version === undefined) return null;
    const { path: real, version } = stat;
    const sum = await kept.checksum.get(real, version);
    call.report('checksum', sum === null ? 'miss' : 'hit', kept.checksum.size);
    const found = sum === null ? null : await kept.read.get(call.key, sum);
    if (sum === null || found?.real !== real) return null;
    call.context.seen.set(real, sum);
    return found.result;
  }

  async #run(call: KeptCall, { run, before }: { run: Run; before: Before }): Promise<Answer> {
    const { files } = call.context;
    let seen: Seen | undefined;
    const result = await run({
      ...files,
      // It was looked at a moment ago, for this very call.
      stat: async (file, meant) => (file === call.target && !meant && before.stat) || files.stat(file, meant),
      async read(file) {
        const content = await files.read(file);
        const { path, sha256: sum, version } = content;
        if (path === before.stat?.path && version !== undefined) seen = { sum, version };
        return content;
      },
    });
    if (!result.success) return { result };
    return { result, keeping: this.#keep(call, { before, seen, result: copyOf(result) }) };
  }

  async #keep(
    call: KeptCall,
    { before, seen, result }: { before: Before; seen: Seen | undefined; result: ToolResult },
  ): Promise<void> {
    const { kept, watchTree, onKept } = this.#options;
    const { generation, stat, isWatched } = before;
    const isSame = () => kept.generation() === generation;
    if (stat === null) return;
    const real = stat.path;
    if (call.kind !== 'read') {
      const tree = isWatched && isSame() ? watchTree() : null;
      if (tree && (await tree.settle()) && tree.covers(real) && isSame())
        kept[call.kind].set(call.key, { place: real, result }, '');
      return;
    }
    if (!seen || !isSame()) return;
    kept.checksum.set(real, seen.sum, seen.version);
    kept.read.set(call.key, { real, result }, seen.sum);
    onKept?.(real);
  }
}

/** Whoever gets an answer may change it; the one that is kept stays. */
function copyOf(result: ToolResult): ToolResult {
  const { display, metadata } = result;
  return {
    ...result,
    ...(result.success && result.images && { images: result.images.map((image) => ({ ...image })) }),
    ...(display && { display: structuredClone(display) }),
    ...(metadata && { metadata: structuredClone(metadata) }),
  };
}
