import path from 'node:path';
import type { Memory } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { isInside } from '../../lib/paths/inside.ts';
import type { NetChange } from '../../session/undo/net-changes.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import { type Report, Reporter } from '../conversation/run-report.ts';
import { type Check, checksIn, runnableChecksIn } from './checks.ts';

/** What a run did, from its record rather than from what the model says. */
export type RunFacts = {
  durationMs: number;
  calls: number;
  /** Files that differ from before the run. */
  changes: NetChange[];
  checks: Check[];
  /** Calls that the user declined, and calls that a rule or the mode refused. */
  declined: number;
  blocked: number;
  /** Of the task list, if the run has changed it. */
  todos: { open: number; total: number } | null;
  /** Null when a price is unknown. */
  costUsd: number | null;
};

export type FactDeps = {
  undo: Pick<UndoStore, 'changed'>;
  cwd: string;
  /** When several runs in a row count as one: since when. */
  since?: string;
  /** Is told of the checks that ran. */
  memory?: Pick<Memory, 'noteChecks'> | undefined;
};

/** Collects the facts of one run from its events. */
export class RunWatch {
  readonly #reporter = new Reporter();
  #calls = 0;
  #todos: RunFacts['todos'] = null;

  take(event: AgentEvent): void {
    this.#reporter.take(event);
    if (event.type !== 'tool_end') return;
    this.#calls += 1;
    if (event.display?.kind !== 'todos') return;
    const { items } = event.display;
    this.#todos = { open: items.filter(({ status }) => status !== 'done').length, total: items.length };
  }

  async facts(deps: FactDeps): Promise<RunFacts> {
    const { report } = this.#reporter;
    const { durationMs, costUsd, denials } = report;
    const declined = denials.filter(({ by }) => by === 'user').length;
    return {
      durationMs,
      calls: this.#calls,
      ...(await recordOf(report, deps)),
      declined,
      blocked: denials.length - declined,
      todos: this.#todos,
      costUsd,
    };
  }
}

/** The changes of a run, with paths relative to its folder, and the outcomes of its checks. */
export async function recordOf(
  { commands }: Pick<Report, 'commands'>,
  { undo, cwd, since, memory }: FactDeps,
): Promise<Pick<RunFacts, 'changes' | 'checks'>> {
  const [changed, checks] = await Promise.all([undo.changed(since), checksIn(commands)]);
  // A memory that cannot be written must not fail the run.
  if (memory) await memory.noteChecks(await runnableChecksIn(commands, cwd)).catch(() => undefined);
  const changes = changed.map((change) => ({
    ...change,
    path: isInside(cwd, change.path) ? path.relative(cwd, change.path) : change.path,
  }));
  return { changes, checks };
}
