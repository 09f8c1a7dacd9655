import type { Config } from '../../../config/schema/schema.ts';
import type { Printed, UserCommand } from '../../../sandbox/shell/user-command.ts';

/** At most this often. */
const EVERY_MS = 300;
const TIMEOUT_MS = 5_000;
const MAX_ROWS = 3;

export type StatusCommandOptions = {
  settings: NonNullable<Config['statusLine']>;
  cwd: string;
  env: UserCommand['env'];
  run(command: UserCommand): Promise<Printed>;
  /** What the command learns. */
  state(): Promise<object>;
  /** Called with the rows to show, with their color sequences. */
  show(rows: readonly string[]): void;
  warn(text: string): void;
};

/** Keeps the rows of the user's own status line up to date. Its failures are reported once. */
export class StatusCommand {
  readonly #options: StatusCommandOptions;
  readonly #closing = new AbortController();
  #startedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isStale = false;
  #hasFailed = false;

  constructor(options: StatusCommandOptions) {
    this.#options = options;
  }

  /** Call when something has changed. */
  refresh(): void {
    if (this.#closing.signal.aborted) return;
    this.#isStale = true;
    if (this.#isRunning || this.#timer) return;
    const wait = Math.max(0, this.#startedAt + EVERY_MS - performance.now());
    this.#timer = setTimeout(() => void this.#update(), wait).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  async #update(): Promise<void> {
    const { settings, cwd, env, run, state, show } = this.#options;
    this.#timer = undefined;
    this.#isStale = false;
    this.#isRunning = true;
    this.#startedAt = performance.now();
    const input = `${JSON.stringify(await state())}\n`;
    const { signal } = this.#closing;
    const printed = await run({ command: settings.command, cwd, env, input, timeoutMs: TIMEOUT_MS, signal });
    this.#isRunning = false;
    if (signal.aborted) return;
    if (printed.type === 'failed') this.#failed(printed.because);
    else {
      const rows = printed.text.split(/\r?\n/).filter((row) => row.trim() !== '');
      show(rows.slice(0, MAX_ROWS).map((row) => `${' '.repeat(settings.padding)}${row}`));
    }
    if (this.#isStale) this.refresh();
  }

  #failed(because: string): void {
    this.#options.show([]);
    if (!this.#hasFailed) this.#options.warn(`The status line command failed: ${because}.`);
    this.#hasFailed = true;
  }
}
