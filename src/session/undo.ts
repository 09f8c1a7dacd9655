import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeAtomic } from '../lib/atomic-write.ts';

/** A file about to be changed. Null stands for no file. */
export type FileChange = { path: string; before: Uint8Array | null; after: Uint8Array | null };

type UndoRecord =
  | { type: 'run'; at: string }
  | { type: 'change'; path: string; before: string | null; after: string | null }
  | { type: 'undone'; run: number };

/** `kept` are files somebody else has changed since; they were left as they are. */
export type UndoReport = { restored: string[]; removed: string[]; kept: string[] };

/** Pre-images of every change, on disk, by content; the runs of a session can be taken back, the last one first. */
export class UndoStore {
  readonly #folder: string;
  #run: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is kept from here on is taken back together. */
  beginRun(): void {
    this.#run = new Date().toISOString();
  }

  /** Must have resolved before the change is made. */
  async keep({ path: file, before, after }: FileChange): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#run !== undefined) {
      await this.#log({ type: 'run', at: this.#run });
      this.#run = undefined;
    }
    const hash = before && hashOf(before);
    if (before && hash !== null) await writeAtomic(path.join(this.#folder, hash), before, 0o600);
    await this.#log({ type: 'change', path: file, before: hash, after: after && hashOf(after) });
  }

  /** Takes back the last run that changed anything. Null when there is none. */
  async undo(): Promise<UndoReport | null> {
    const runs = await this.#runs();
    const last = runs.findLastIndex((run) => run.changes.size > 0 && !run.undone);
    const run = runs[last];
    if (!run) return null;

    const report: UndoReport = { restored: [], removed: [], kept: [] };
    for (const [file, { before, after }] of run.changes) {
      const current = await readIfAny(file);
      if ((current && hashOf(current)) !== after) report.kept.push(file);
      else if (before === null) {
        await rm(file, { force: true });
        report.removed.push(file);
      } else {
        await writeAtomic(file, await readFile(path.join(this.#folder, before)), await modeOf(file));
        report.restored.push(file);
      }
    }
    await this.#log({ type: 'undone', run: last });
    return report;
  }

  async #log(record: UndoRecord): Promise<void> {
    await appendFile(path.join(this.#folder, 'log.jsonl'), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  }

  /** Each run's net effect: a file changed twice goes from its first `before` to its last `after`. */
  async #runs() {
    const text = (await readIfAny(path.join(this.#folder, 'log.jsonl')))?.toString('utf8') ?? '';
    const runs: { changes: Map<string, { before: string | null; after: string | null }>; undone: boolean }[] =
      [];
    for (const line of text.split('\n').filter((line) => line !== '')) {
      const record = JSON.parse(line) as UndoRecord;
      const run = record.type === 'undone' ? runs[record.run] : runs.at(-1);
      if (record.type === 'run') runs.push({ changes: new Map(), undone: false });
      else if (record.type === 'undone' && run) run.undone = true;
      else if (record.type === 'change' && run) {
        const before = run.changes.get(record.path)?.before;
        run.changes.set(record.path, {
          before: before === undefined ? record.before : before,
          after: record.after,
        });
      }
    }
    return runs;
  }
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

async function modeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.mode & 0o7777,
    () => 0o644,
  );
}
