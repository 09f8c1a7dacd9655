import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { PendingUndo, UndoReport } from '../../contract/command.ts';
import type { FileChange } from '../../contract/file-change.ts';
import { diffOf } from '../../lib/diff-lines.ts';
import { isInside } from '../../lib/inside.ts';
import { applySteps } from './apply.ts';
import { Objects } from './objects.ts';
import { type Plan, planBack, type Step } from './plan.ts';
import type { Standing } from './standing.ts';
import type { TreeLimits } from './tree.ts';
import { type Look, TreeIndex } from './tree-index.ts';
import { appendRecords, type LoggedRun, type RunInfo, readHistory, type UndoRecord } from './undo-log.ts';

export type UndoOptions = {
  /** Where everything is kept: contents for all sessions, one log for each. */
  folder: string;
  sessionId: string;
  /** The folders that commands may change. */
  roots: readonly string[];
  limits?: TreeLimits;
  /** Told once, when the disk refuses to keep what would be needed. The change is made all the same. */
  onTrouble?(text: string): void;
};

const TROUBLE = 'trouble';

/** Everything a session's calls changed on disk, so that it can be taken back, run by run, and done again. */
export class UndoStore {
  readonly #file: string;
  readonly #objects: Objects;
  readonly #trees: TreeIndex[];
  #begun: RunInfo | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #told = new Set<string>();
  readonly #onTrouble: ((text: string) => void) | undefined;
  /** Whether what the command under way changes will be known. */
  #commandKept = false;
  /** Whether it is known that no command of an earlier process is still open. */
  #settled = false;

  constructor({ folder, sessionId, roots, limits, onTrouble }: UndoOptions) {
    this.#onTrouble = onTrouble;
    this.#file = path.join(folder, `${sessionId}.jsonl`);
    this.#objects = new Objects(path.join(folder, 'objects'));
    this.#trees = outermost(roots).map(
      (root) =>
        new TreeIndex({
          root,
          folder: path.join(folder, 'trees'),
          objects: this.#objects,
          ...(limits && { limits }),
        }),
    );
  }

  /** What is kept from here on is taken back together. */
  beginRun(run: RunInfo): void {
    this.#begun = run;
  }

  /** Must have resolved before the change is made. Changes made side by side are kept one after the other. */
  keep(change: FileChange): Promise<void> {
    return this.#tolerant(async () => {
      await this.#settle();
      this.#objects.isPruned();
      const { path: file, before, after, was, madeFolders = [] } = change;
      const made = after === null ? null : this.#objects.put(after);
      const record: UndoRecord = {
        type: 'change',
        path: file,
        before: before === null ? null : this.#standingOf(before, was),
        after: made === null ? null : { type: 'file', mode: was?.mode ?? null, hash: made },
      };
      this.#objects.flush({ durable: true });
      for (const folder of madeFolders) {
        const after = { type: 'folder' as const, mode: null, hash: '' };
        this.#log({ type: 'change', path: folder, before: null, after });
      }
      this.#log(record);
    }, undefined);
  }

  /**
   * To be awaited before a command that may change anything. Resolves with what the user should know: places
   * where it cannot be undone.
   */
  commandBegins(signal?: AbortSignal): Promise<string[]> {
    return this.#tolerant(async () => {
      this.#commandKept = false;
      await this.#closeCommand();
      if (this.#objects.isPruned()) for (const tree of this.#trees) tree.forget();
      const notices: string[] = [];
      for (const tree of this.#trees) {
        const looked = await tree.look(signal);
        await looked?.save();
        if (looked === null)
          notices.push('The folder is too large: what commands change in it cannot be undone.');
        for (const [place, because] of tree.skipped)
          notices.push(`What commands change in ${place} cannot be undone: ${because}.`);
      }
      this.#log({ type: 'command' });
      this.#commandKept = true;
      const news = notices.filter((notice) => !this.#told.has(notice));
      for (const notice of news) this.#told.add(notice);
      return news;
    }, []);
  }

  /** To be awaited after the command. Resolves with the paths it changed. */
  commandEnded(): Promise<string[]> {
    return this.#tolerant(
      async () => (this.#commandKept ? this.#endCommand((record) => this.#log(record)) : []),
      [],
    );
  }

  /** The runs that changed files and are not undone, the oldest first. */
  runs(): Promise<LoggedRun[]> {
    return this.#inTurn(async () => {
      await this.#closeCommand();
      return readHistory(this.#file).runs.filter(({ undone, changes }) => !undone && changes.length > 0);
    });
  }

  /** Of the last run that changed anything, or of all from a run on. Null when there is nothing to undo. */
  previewUndo(fromRun?: number): Promise<PendingUndo | null> {
    return this.#inTurn(async () => {
      await this.#closeCommand();
      const runs = readHistory(this.#file).runs.filter(({ undone }) => !undone);
      if (fromRun !== undefined)
        return this.#preview(
          'undo',
          runs.filter(({ index }) => index >= fromRun),
        );
      const idle: number[] = [];
      for (const run of runs.toReversed()) {
        const preview = await this.#preview('undo', [run], idle);
        // A change that was kept and then not made leaves nothing to take back; it goes with the run before.
        if (preview) return preview;
        idle.push(run.index);
      }
      return null;
    });
  }

  /** Of the last undo. Null when there is nothing to do again. */
  previewRedo(): Promise<PendingUndo | null> {
    return this.#inTurn(async () => {
      const undone = readHistory(this.#file).undone.at(-1);
      return undone ? this.#preview('redo', [{ index: -1, changes: undone.changes }]) : null;
    });
  }

  #apply(type: 'undo' | 'redo', plan: Plan, runs: number[]): Promise<UndoReport> {
    return this.#inTurn(async () => {
      for (const { now } of plan.steps) if (now) this.#objects.put(now.bytes);
      this.#objects.flush({ durable: true });
      const { changes, kept } = await applySteps(plan.steps);
      appendRecords(this.#file, [
        type === 'undo' ? { type: 'undone', runs, changes } : { type: 'redone', changes },
      ]);
      return {
        restored: changes.flatMap(({ path: file, after }) => (after ? [file] : [])),
        removed: changes.flatMap(({ path: file, after }) => (after ? [] : [file])),
        kept: [...plan.conflicts, ...kept],
      };
    });
  }

  #standingOf(before: Uint8Array, was: FileChange['was']): Standing {
    if (was?.type === 'folder') return { ...was, hash: '' };
    const hash = this.#objects.put(before);
    return was?.type === 'link'
      ? { type: 'link', mode: null, hash }
      : { type: 'file', mode: was?.mode ?? null, hash };
  }

  async #preview(
    type: 'undo' | 'redo',
    runs: readonly Pick<LoggedRun, 'index' | 'changes'>[],
    idle: readonly number[] = [],
  ): Promise<PendingUndo | null> {
    const plan = await planBack(
      runs.flatMap(({ changes }) => changes),
      this.#objects,
    );
    if (plan.steps.length === 0 && plan.conflicts.length === 0) return null;
    const files = await Promise.all(plan.steps.map(countsOf));
    const indexes = [...runs.map(({ index }) => index), ...idle];
    return { files, conflicts: plan.conflicts, apply: () => this.#apply(type, plan, indexes) };
  }

  /** Before the first change of this process: what an earlier one left open is not this one's doing. */
  async #settle(): Promise<void> {
    if (!this.#settled) await this.#closeCommand();
  }

  /** A command that a crash cut off: what it did is found out late, and belongs to its own run. */
  async #closeCommand(): Promise<void> {
    this.#settled = true;
    if (readHistory(this.#file).commandOpen)
      await this.#endCommand((record) => appendRecords(this.#file, [record]));
  }

  async #endCommand(log: (record: UndoRecord) => void): Promise<string[]> {
    const looks: Look[] = [];
    for (const tree of this.#trees) {
      const look = await tree.look();
      if (look) looks.push(look);
    }
    const changes = looks.flatMap((look) => look.changes);
    log({ type: 'command_end', changes });
    for (const look of looks) await look.save();
    return changes.map(({ path: file }) => file);
  }

  #log(record: UndoRecord): void {
    const begun: UndoRecord[] = this.#begun ? [{ type: 'run', ...this.#begun }] : [];
    appendRecords(this.#file, [...begun, record]);
    this.#begun = undefined;
  }

  close(): Promise<void> {
    return this.#tolerant(async () => this.#objects.close(), undefined);
  }

  /** A disk that takes nothing costs the undo and a warning, never the work. */
  #tolerant<T>(deed: () => Promise<T>, otherwise: T): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await deed();
      } catch (error) {
        const { syscall, code, message } = error as NodeJS.ErrnoException;
        if (syscall === undefined && code !== 'ENOSPC') throw error;
        const text = `Changes cannot be undone for now: what they replace cannot be kept (${message}).`;
        if (!this.#told.has(TROUBLE)) this.#onTrouble?.(text);
        this.#told.add(TROUBLE);
        return otherwise;
      }
    });
  }

  #inTurn<T>(deed: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(deed);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

async function countsOf({ path: file, now, next }: Step): Promise<PendingUndo['files'][number]> {
  const change = next ? ('restore' as const) : ('remove' as const);
  const texts = [now, next].map((found) => (isText(found) ? (found?.bytes.toString('utf8') ?? '') : null));
  const [before = null, after = null] = texts;
  if (before === null || after === null) return { path: file, change, added: 0, removed: 0 };
  const { added, removed } = await diffOf(file, before, after);
  return { path: file, change, added, removed };
}

function isText(found: { standing: Standing; bytes: Buffer } | null): boolean {
  return found === null || (found.standing.type === 'file' && !found.bytes.includes(0));
}

/** Real folders, none inside another. */
function outermost(roots: readonly string[]): string[] {
  const real = [...new Set(roots.filter((root) => existsSync(root)).map((root) => realpathSync(root)))];
  return real.filter((root) => !real.some((other) => other !== root && isInside(other, root)));
}
