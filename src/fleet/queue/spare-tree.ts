import path from 'node:path';
import { removeWorktree } from '../../sandbox/worktrees/remove.ts';
import type { Worktree } from '../../sandbox/worktrees/worktree.ts';
import type { TaskPlace } from '../run-options.ts';
import type { TaskSource } from '../task.ts';
import { makeTree, treesFolder } from '../task-tree.ts';
import type { WorkerFolders } from './leftovers.ts';

type Spare = { key: string; made: Promise<Worktree | null>; stop: AbortController };

/** A worktree for the next task of a repository and commit, created while others run: that takes a while. */
export class SpareTree {
  readonly #worker: string;
  readonly #folders: WorkerFolders;
  #spare: Spare | null = null;

  constructor(worker: string, folders: WorkerFolders) {
    this.#worker = worker;
    this.#folders = folders;
  }

  /** Creates one, instead of one for something else. */
  async prepare(source: TaskSource, place: TaskPlace): Promise<void> {
    const key = keyOf(source, place);
    if (source.type !== 'repository' || this.#spare?.key === key) return;
    await this.discard();
    // Another task was faster.
    if (this.#spare) return;
    const at = path.join(treesFolder(source, place), `${place.batch}-next.${this.#worker}`);
    this.#folders.note(this.#record, { batch: place.batch, job: null, worktrees: [at], clones: null });
    const stop = new AbortController();
    // The task itself will say what is wrong.
    const made = makeTree(source, { place, at, signal: stop.signal }).catch(() => null);
    this.#spare = { key, made, stop };
  }

  /** Null if there is none for that. */
  async take(source: TaskSource, place: TaskPlace): Promise<Worktree | null> {
    const spare = this.#spare;
    if (spare?.key !== keyOf(source, place)) return null;
    this.#spare = null;
    return spare.made;
  }

  async discard(): Promise<void> {
    const spare = this.#spare;
    this.#spare = null;
    spare?.stop.abort(new Error('Not needed.'));
    const tree = await spare?.made;
    if (tree) await removeWorktree(tree);
    this.#folders.forget(this.#record);
  }

  get #record(): string {
    return `${this.#worker}-next`;
  }
}

const keyOf = (source: TaskSource, { batch }: Pick<TaskPlace, 'batch'>) => JSON.stringify([batch, source]);
