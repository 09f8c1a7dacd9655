import { createHash } from 'node:crypto';
import { appendFile, chmod, lstat, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../lib/atomic-write.ts';

/**
 * A file about to be changed. Null stands for nothing. `was` tells what stood there, a file when it is left out;
 * `before` is a file's content, the target of a link, or empty for a folder.
 */
export type FileChange = {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
  was?: Kind;
};

type Kind = { type: 'file' | 'link' | 'folder'; mode: number };

type UndoRecord =
  | { type: 'run'; at: string }
  | { type: 'change'; path: string; before: string | null; after: string | null; was?: Kind }
  | { type: 'undone'; run: number };

/** A run's net effect on one path: what stood there first, and all that the run made of it. */
type Effect = { before: string | null; was: Kind | undefined; afters: Set<string | null> };

type Standing = { type: Kind['type'] | 'other'; hash: string | null; mode: number };

/** `kept` are files somebody else has changed since; they were left as they are. */
export type UndoReport = { restored: string[]; removed: string[]; kept: string[] };

/** Pre-images of every change, on disk, by content; the runs of a session can be taken back, the last one first. */
export class UndoStore {
  readonly #folder: string;
  #run: string | undefined;
  #lastKept: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is kept from here on is taken back together. */
  beginRun(): void {
    this.#run = new Date().toISOString();
  }

  /** Must have resolved before the change is made. Changes made side by side are kept one after the other. */
  keep(change: FileChange): Promise<void> {
    const kept = this.#lastKept.then(() => this.#keep(change));
    this.#lastKept = kept.catch(() => undefined);
    return kept;
  }

  async #keep({ path: file, before, after, was }: FileChange): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#run !== undefined) {
      await this.#log({ type: 'run', at: this.#run });
      this.#run = undefined;
    }
    const hash = before && hashOf(before);
    if (before && hash !== null && !(await exists(path.join(this.#folder, hash))))
      await writeAtomic(path.join(this.#folder, hash), before, 0o600);
    const change = { path: file, before: hash, after: after && hashOf(after), ...(was && { was }) };
    await this.#log({ type: 'change', ...change });
  }

  /** Takes back the last run that changed anything. Null when there is none. */
  async undo(): Promise<UndoReport | null> {
    for (const [i, run] of [...(await this.#runs()).entries()].reverse()) {
      if (run.undone) continue;
      const report = await this.#takeBack(run.effects);
      await this.#log({ type: 'undone', run: i });
      // A change that was kept and then not made leaves nothing to take back.
      if (Object.values(report).some((paths) => paths.length > 0)) return report;
    }
    return null;
  }

  async #takeBack(effects: ReadonlyMap<string, Effect>): Promise<UndoReport> {
    const report: UndoReport = { restored: [], removed: [], kept: [] };
    const modes: [folder: string, mode: number][] = [];
    for (const [file, effect] of effects) {
      const { before, was, afters } = effect;
      const now = await standingAt(file);
      if (was?.type === 'folder') modes.push([file, was.mode]);
      const ours = afters.has(now?.hash ?? null) && (now === null || now.type === 'file');
      if (!ours && isAsBefore(now, effect)) continue;
      if (!ours) report.kept.push(file);
      else if (before === null) {
        await rm(file, { force: true });
        report.removed.push(file);
      } else {
        const content = await readFile(path.join(this.#folder, before));
        if (was?.type === 'folder') await mkdir(file, { recursive: true });
        else if (was?.type === 'link') {
          await rm(file, { force: true });
          await mkdir(path.dirname(file), { recursive: true });
          await symlink(content.toString(), file);
        } else {
          // A file that was deleted and made anew has a mode of its own.
          const mode = afters.has(null) ? was?.mode : now?.mode;
          await writeAtomic(file, content, mode ?? 0o644);
        }
        report.restored.push(file);
      }
    }
    // Last, and from the inside out: nothing can be put into a folder that is closed.
    for (const [folder, mode] of modes.reverse()) {
      if ((await standingAt(folder))?.type === 'folder') await chmod(folder, mode);
    }
    return report;
  }

  async #log(record: UndoRecord): Promise<void> {
    await appendFile(path.join(this.#folder, 'log.jsonl'), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  }

  async #runs(): Promise<{ effects: Map<string, Effect>; undone: boolean }[]> {
    const text = (await readIfAny(path.join(this.#folder, 'log.jsonl')))?.toString('utf8') ?? '';
    const runs: { effects: Map<string, Effect>; undone: boolean }[] = [];
    for (const line of text.split('\n').filter((line) => line !== '')) {
      const record = JSON.parse(line) as UndoRecord;
      const run = record.type === 'undone' ? runs[record.run] : runs.at(-1);
      if (record.type === 'run') runs.push({ effects: new Map(), undone: false });
      else if (record.type === 'undone' && run) run.undone = true;
      else if (record.type === 'change' && run) {
        const { path: file, before, was, after } = record;
        const effect = run.effects.get(file) ?? { before, was, afters: new Set() };
        run.effects.set(file, { ...effect, afters: effect.afters.add(after) });
      }
    }
    return runs;
  }
}

/** A change may have been kept and then not made. */
function isAsBefore(now: Standing | null, { before, was }: Effect): boolean {
  return now === null ? before === null : now.type === (was?.type ?? 'file') && now.hash === before;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** What is at a path now, a link itself and not what it leads to. */
async function standingAt(file: string): Promise<Standing | null> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!found) return null;
  const mode = found.mode & 0o7777;
  if (found.isSymbolicLink()) return { type: 'link', hash: hashOf(Buffer.from(await readlink(file))), mode };
  if (found.isDirectory()) return { type: 'folder', hash: hashOf(new Uint8Array()), mode };
  if (found.isFile()) return { type: 'file', hash: hashOf(await readFile(file)), mode };
  return { type: 'other', hash: null, mode };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function readIfAny(file: string): Promise<Buffer | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
