import path from 'node:path';
import type { PendingUndo } from '../../contract/command.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { ChangeReview, UndoReport } from '../../contract/review.ts';
import { oneAtATime } from '../../lib/async/one-at-a-time.ts';
import { applySteps } from './apply.ts';
import type { BackgroundCommand, CommandFacts } from './credit.ts';
import { credited, creditedByRun, creditedLate } from './credit.ts';
import { type Change, type FileState, isSame } from './file-state.ts';
import { assertWritable, diskTrouble, realIfThere, stateBefore } from './kept.ts';
import { type NetChange, netChanges } from './net-changes.ts';
import { Objects } from './objects.ts';
import { outermost } from './outermost.ts';
import { type Plan, planBack, type Step } from './plan.ts';
import { countsOf, uncertainOf } from './preview.ts';
import { forgottenText, pruneUndo, sizeOfUndo } from './prune.ts';
import { acceptRecords, pendingChanges, reviewOf, reviewRecords } from './review.ts';
import { recordsOfRun } from './run-records.ts';
import { type Difference, type Look, TreeIndex } from './tree-index.ts';
import { defaultLimits } from './tree-walk.ts';
import { changesFrom, type LoggedRun, type RunInfo, UndoLog, type UndoRecord } from './undo-log.ts';
import { changeReporter, type ReportChanges, type UndoOptions } from './undo-options.ts';

const TROUBLE = 'trouble';
/** Bytes that may be added before the quota is checked again. */
const CHECK_EVERY_BYTES = 16 * 1024 * 1024;

/** Everything a session's calls changed on disk, for undo and redo by run. */
export class UndoStore {
  readonly #options: UndoOptions;
  readonly #log: UndoLog;
  readonly #objects: Objects;
  readonly #report: ReportChanges;
  readonly #trees: TreeIndex[];
  #started: RunInfo | undefined;
  readonly #inTurn = oneAtATime();
  #reported = new Set<string>();
  /** Whether a scan found all folders small enough; unknown before the first one. */
  #canScan: boolean | undefined;
  /** Whether the changes of the running command will be known. */
  #commandKept = false;
  /** Background commands and the runs that started them. */
  #background: (BackgroundCommand & { run: number })[] = [];
  /** The state of paths changed by file tools since the last scan: not changed by a command. */
  readonly #madeByTools = new Map<string, FileState | null>();
  #unchecked = CHECK_EVERY_BYTES;
  /** Packs written by a pruning of this process. */
  #moved: ReadonlySet<string> = new Set();

  constructor(options: UndoOptions) {
    const { folder, sessionId, roots, limits, quotaBytes = Infinity } = options;
    this.#options = options;
    this.#log = new UndoLog(path.join(folder, `${sessionId}.jsonl`));
    this.#objects = new Objects(path.join(folder, 'objects'), {
      withheld: () => this.#log.history.withheld,
    });
    this.#report = changeReporter(this.#objects, options.onChange);
    const excluded = (options.excluded ?? []).map(realIfThere);
    this.#trees = outermost(roots).map(
      (root) =>
        new TreeIndex({
          root,
          folder: path.join(folder, 'trees'),
          objects: this.#objects,
          excluded: [...excluded, folder],
          // The current content of the folder must leave space for earlier content.
          limits: { ...defaultLimits, bytes: Math.min(defaultLimits.bytes, quotaBytes / 2), ...limits },
        }),
    );
  }

  /** Changes from now on are undone together. */
  beginRun(run: RunInfo): void {
    this.#started = run;
  }

  /** Must resolve before the change is made. Parallel changes are recorded one after another. */
  keep(change: FileChange): Promise<void> {
    return this.#tolerant(async () => {
      await this.#closeEarlier();
      this.#objects.isPruned();
      const { path: file, before, after, was, becomes, madeFolders = [] } = change;
      const made = after === null ? null : this.#objects.put(after);
      const record: UndoRecord = {
        type: 'change',
        path: file,
        before: before === null ? null : stateBefore(before, was, this.#objects),
        after: made === null ? null : { type: 'file', mode: was?.mode ?? null, ...becomes, hash: made },
      };
      this.#objects.flush({ durable: true });
      const folders = madeFolders.map((folder): UndoRecord & { type: 'change' } => ({
        ...{ type: 'change', path: folder, before: null },
        after: { type: 'folder', mode: null, hash: '' },
      }));
      this.#append(...folders, record);
      this.#report([record], [record]);
      for (const { path: place, after: state } of [...folders, record]) this.#madeByTools.set(place, state);
      this.#unchecked += (before?.length ?? 0) + (after?.length ?? 0);
      this.#pruneLater();
    }, undefined);
  }

  /** Whether changes by file tools can be taken back; or by commands, which needs a first scan of the folder. */
  async canUndo(by: 'tools' | 'commands', signal?: AbortSignal): Promise<boolean> {
    await this.#tolerant(async () => {
      assertWritable(this.#options.folder);
      if (by === 'commands' && this.#canScan === undefined) await this.#look(signal);
    }, undefined);
    return !this.#reported.has(TROUBLE) && (by === 'tools' || this.#canScan === true);
  }

  /**
   * Await before a command that may change anything. Resolves with notes for the user: paths that cannot be
   * undone.
   */
  commandBegins(signal?: AbortSignal): Promise<string[]> {
    return this.#tolerant(async () => {
      this.#commandKept = false;
      await this.#closeEarlier();
      if (this.#objects.isPruned()) for (const tree of this.#trees) tree.forget();
      const notices: string[] = [];
      await this.#look(signal, (tree, look) => {
        if (look === null)
          notices.push('This folder is too large: changes made by commands cannot be undone.');
        for (const [place, because] of tree.skipped)
          notices.push(`Changes made by commands in ${place} cannot be undone: ${because}.`);
      });
      this.#append({ type: 'command' });
      this.#commandKept = true;
      const news = notices.filter((notice) => !this.#reported.has(notice));
      for (const notice of news) this.#reported.add(notice);
      return news;
    }, []);
  }

  /** Await after the command. Resolves with the changed paths. */
  commandEnded(facts: CommandFacts): Promise<string[]> {
    return this.#tolerant(async () => {
      if (!this.#commandKept) return [];
      this.#commandKept = false;
      const others = this.#background.length > 0;
      const changes = await this.#look(undefined, undefined, (differences) => {
        const changes = differences.map((difference) => credited(difference, { facts, others }));
        // A run that has started since is logged with a change of its own: an interrupted command may end late.
        this.#log.append([{ type: 'command_end', changes }]);
        return changes;
      });
      this.#unchecked += CHECK_EVERY_BYTES;
      this.#pruneLater();
      return changes.map(({ path: file }) => file);
    }, []);
  }

  /** Await before a command that only reads: a run is logged, too, whose commands see a repository. */
  commandReads(): Promise<void> {
    return this.#tolerant(async () => {
      this.#append({ type: 'command' }, { type: 'command_end', changes: [] });
    }, undefined);
  }

  /** The command continues in the background; its changes belong to the run that started it. */
  continuesInBackground(command: BackgroundCommand): Promise<void> {
    return this.#tolerant(async () => {
      this.#append({ type: 'command' });
      this.#background.push({ ...command, run: this.#log.history.runs.length - 1 });
    }, undefined);
  }

  /** The runs that changed files and are not undone, oldest first. */
  runs(): Promise<LoggedRun[]> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      return this.#log.history.runs.filter(({ undone, changes }) => !undone && changes.length > 0);
    });
  }

  /** What the current or last run has changed so far, all in all; with a time, all runs since then. */
  changed(since?: string): Promise<NetChange[]> {
    return this.#tolerant(async () => {
      // A run is logged with its first change.
      const from = since ?? (this.#started ? null : 'last');
      return netChanges(changesFrom(this.#log.history, from), this.#objects);
    }, []);
  }

  /** For the last run that changed anything, or all from a run on. Null if there is nothing to undo. */
  previewUndo(fromRun?: number): Promise<PendingUndo | null> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      const runs = this.#log.history.runs.filter(({ undone }) => !undone);
      if (fromRun !== undefined)
        return this.#preview(
          'undo',
          runs.filter(({ index }) => index >= fromRun),
        );
      const idle: number[] = [];
      for (const run of runs.toReversed()) {
        const preview = await this.#preview('undo', [run], idle);
        // A change that was recorded but not made leaves nothing to undo; it is undone together with the
        // previous run.
        if (preview) return preview;
        idle.push(run.index);
      }
      return null;
    });
  }

  /** For the last undo. Null if there is nothing to redo. */
  previewRedo(): Promise<PendingUndo | null> {
    return this.#inTurn(async () => {
      const undone = this.#log.history.undone.at(-1);
      return undone ? this.#preview('redo', [{ index: -1, changes: undone.changes }]) : null;
    });
  }

  /** What is left of the changes since a run, by file and hunk, to be reverted one by one. */
  review(fromRun = 0): Promise<ChangeReview> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      return reviewOf(pendingChanges(this.#log.history, fromRun), {
        objects: this.#objects,
        // Recorded as a run of its own, so that it is undone on its own.
        revert: (steps) => this.#apply(async () => ({ steps, conflicts: [] }), reviewRecords),
        accept: (steps) =>
          this.#inTurn(async () => {
            this.#store(steps);
            this.#log.append(acceptRecords(steps));
          }),
      });
    });
  }

  #apply(planned: () => Promise<Plan>, recordsOf: (changes: Change[]) => UndoRecord[]): Promise<UndoReport> {
    return this.#inTurn(async () => {
      const plan = await planned();
      this.#store(plan.steps);
      const { changes, kept } = await applySteps(plan.steps);
      this.#log.append(recordsOf(changes));
      this.#report(changes, []);
      return {
        restored: changes.flatMap(({ path: file, after }) => (after ? [file] : [])),
        removed: changes.flatMap(({ path: file, after }) => (after ? [] : [file])),
        kept: [...plan.conflicts, ...kept],
      };
    });
  }

  #store(steps: readonly Step[]): void {
    for (const { now, next } of steps)
      for (const found of [now, next]) if (found) this.#objects.put(found.bytes);
    this.#objects.flush({ durable: true });
  }

  async #preview(
    type: 'undo' | 'redo',
    runs: readonly Pick<LoggedRun, 'index' | 'changes'>[],
    idle: readonly number[] = [],
  ): Promise<PendingUndo | null> {
    const changes = runs.flatMap(({ changes }) => changes);
    const planWith = (included: ReadonlySet<string>) =>
      planBack(
        changes.filter(({ doubt, path: file }) => doubt === undefined || included.has(file)),
        this.#objects,
      );
    const plan = await planWith(new Set());
    const uncertain = await uncertainOf(changes, plan, this.#objects);
    if (plan.steps.length === 0 && plan.conflicts.length === 0 && uncertain.length === 0) return null;
    const files = await Promise.all(plan.steps.map(countsOf));
    const indexes = [...runs.map(({ index }) => index), ...idle];
    return {
      files,
      conflicts: plan.conflicts,
      uncertain,
      apply: (include = []) =>
        this.#apply(
          async () => (include.length > 0 ? planWith(new Set(include)) : plan),
          (done) => [
            type === 'undo'
              ? { type: 'undone', runs: indexes, changes: done }
              : { type: 'redone', changes: done },
          ],
        ),
    };
  }

  /** Before changes are reported: include those of background commands so far. */
  async #catchUp(): Promise<void> {
    await this.#closeEarlier();
    if (this.#background.length > 0 && !this.#commandKept) await this.#look();
  }

  /** A command whose end an earlier process did not see: its changes are determined late. */
  async #closeEarlier(): Promise<void> {
    const own = this.#background.length + (this.#commandKept ? 1 : 0);
    if (this.#log.history.open.length <= own) return;
    await this.#look(undefined, undefined, (differences) => {
      const changes = differences.map(creditedLate);
      const { open } = this.#log.history;
      const ends = open
        .slice(own)
        .map((run) => ({ type: 'command_end' as const, run, changes: [] as Change[] }));
      // The one that started last: each difference counts once.
      const last = ends.at(-1);
      if (last) last.changes = changes;
      this.#log.append(ends);
      return changes;
    });
  }

  /**
   * Scans everything. Differences are recorded before the scan is saved: by `credit`, or else as changes of
   * background commands.
   */
  async #look(
    signal?: AbortSignal,
    onTree?: (tree: TreeIndex, look: Look | null) => void,
    credit?: (differences: Difference[]) => Change[],
  ): Promise<Change[]> {
    const looks: Look[] = [];
    for (const tree of this.#trees) {
      const look = await tree.look(signal);
      onTree?.(tree, look);
      if (look) looks.push(look);
    }
    this.#canScan = looks.length === this.#trees.length;
    const differences = looks.flatMap((look) => look.changes).flatMap((change) => this.#notByTools(change));
    const changes = credit ? credit(differences) : this.#creditBackground(differences);
    this.#report(differences, changes);
    this.#endBackground();
    for (const look of looks) await look.save();
    return changes;
  }

  #creditBackground(differences: readonly Difference[]): Change[] {
    const found = creditedByRun(differences, this.#background);
    this.#log.append([...found].map(([run, changes]) => ({ type: 'found', run, changes })));
    return [...found.values()].flat();
  }

  #endBackground(): void {
    const ended = this.#background.filter((command) => !command.isRunning());
    if (ended.length === 0) return;
    this.#log.append(ended.map(({ run }) => ({ type: 'command_end', run, changes: [] })));
    this.#background = this.#background.filter((command) => !ended.includes(command));
  }

  /** A change by a file tool is already in the log, and not attributed to anything else. */
  #notByTools(difference: Difference): Difference[] {
    const made = this.#madeByTools.get(difference.path);
    if (made === undefined) return [difference];
    if (!isSame(difference.after, made)) return [difference];
    this.#madeByTools.delete(difference.path);
    return [];
  }

  #append(...records: UndoRecord[]): void {
    this.#log.append([...recordsOfRun(this.#started, this.#options, this.#objects), ...records]);
    this.#started = undefined;
  }

  /** Only the next operation on stored contents waits for it. */
  #pruneLater(): void {
    const { folder, quotaBytes } = this.#options;
    if (quotaBytes === undefined || this.#unchecked < CHECK_EVERY_BYTES) return;
    this.#unchecked = 0;
    if (sizeOfUndo(folder) <= quotaBytes) return;
    void this.#tolerant(async () => {
      this.#objects.close();
      const closed = new Set([...this.#moved, ...this.#objects.own]);
      const { forgottenRuns, written } = await pruneUndo(folder, { quotaBytes, closed });
      this.#moved = written;
      if (forgottenRuns > 0) this.#options.onTrouble?.(forgottenText(forgottenRuns));
    }, undefined);
  }

  close(): Promise<void> {
    return this.#tolerant(async () => {
      if (this.#background.length > 0) await this.#look();
      for (const tree of this.#trees) tree.close();
      this.#objects.close();
    }, undefined);
  }

  /** A failing disk costs the undo and causes a warning, but never stops the work. */
  #tolerant<T>(action: () => Promise<T>, otherwise: T): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await action();
      } catch (error) {
        const text = diskTrouble(error);
        if (!this.#reported.has(TROUBLE)) this.#options.onTrouble?.(text);
        this.#reported.add(TROUBLE);
        return otherwise;
      }
    });
  }
}
