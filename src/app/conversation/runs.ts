import type { Controller, RunEnd } from '../../agent/controller.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { EndReason } from '../../contract/event.ts';
import { type FactDeps, type RunFacts, RunWatch } from '../run-facts/run-facts.ts';

export type RunsDeps = FactDeps & {
  controller: Pick<Controller, 'submit' | 'retry' | 'listen'>;
  /** Called after each run, before the next prompt. */
  onRunEnd?: ((facts: RunFacts, reason: EndReason) => void) | undefined;
};

/** The runs of a conversation: reports what each did, and sends a failed one again. */
export class Runs {
  readonly #deps: RunsDeps;
  #failed = false;

  constructor(deps: RunsDeps) {
    this.#deps = deps;
  }

  readonly submit: CommandContext['submit'] = (content, options) =>
    this.#run(() => this.#deps.controller.submit(content, options));

  /** Does nothing unless the last run failed. */
  async retry(): Promise<void> {
    if (this.#failed) await this.resume();
  }

  /** Goes on with a run that failed or was interrupted. */
  resume(): Promise<void> {
    return this.#run(() => this.#deps.controller.retry());
  }

  /** The user goes on with something else. */
  dismiss(): void {
    this.#failed = false;
  }

  async #run(start: () => Promise<RunEnd>): Promise<void> {
    const { controller, onRunEnd, ...facts } = this.#deps;
    this.#failed = false;
    const watch = new RunWatch();
    const stop = controller.listen((event) => watch.take(event));
    const { reason, turns } = await start().finally(stop);
    // Without a turn nothing was sent.
    this.#failed = reason === 'error' && turns > 0;
    onRunEnd?.(await watch.facts(facts), reason);
  }
}
