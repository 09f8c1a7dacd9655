import type { ChildProcess } from 'node:child_process';
import type { Launch } from '../confine/launch.ts';
import { endFamily, isGroupAlive } from './process-group.ts';
import type { Mark } from './process-table.ts';
import type { Watchdog } from './watchdog.ts';

/** Between TERM and KILL. */
const GRACE_MS = 1_000;

/** The process groups of this session's commands. */
export class RunningGroups {
  readonly #watchdog: Watchdog;
  readonly #groups = new Set<number>();
  /** Groups whose command has ended; some of its processes may still run. */
  readonly #over = new Set<number>();
  readonly #launchers = new Set<number>();
  readonly #ends = new Map<number, () => Promise<void>>();

  constructor(watchdog: Watchdog) {
    this.#watchdog = watchdog;
  }

  add(group: number, { launcher, end }: Launch, leader: ChildProcess): void {
    this.#groups.add(group);
    leader.once('exit', () => this.#over.add(group));
    if (launcher) this.#launchers.add(group);
    if (end) this.#ends.set(group, end);
    this.#watchdog.watch(group);
  }

  end(leaders: number[], mark: Mark): Promise<void> {
    return endFamily({ leaders, mark, launchers: this.#launchers }, GRACE_MS);
  }

  forgetEnded(): Promise<void> {
    return this.#forgetGone(this.#over);
  }

  async close(everything: Mark): Promise<void> {
    await this.#forgetGone(this.#groups);
    await Promise.all([...this.#ends.values()].map((end) => end()));
    await this.end([...this.#groups], everything);
    await this.#forgetGone(this.#groups);
    await this.#watchdog.close();
  }

  /** The id of a group that is gone may soon be reused. */
  async #forgetGone(candidates: ReadonlySet<number>): Promise<void> {
    for (const group of [...candidates]) {
      if (await isGroupAlive(group)) continue;
      this.#groups.delete(group);
      this.#over.delete(group);
      this.#launchers.delete(group);
      this.#ends.delete(group);
      this.#watchdog.forget(group);
    }
  }
}
