import { runOwnCommand } from '../../commands/own-command.ts';
import type { TextPart } from '../../contract/message.ts';
import { createShell, type SessionShell } from '../../sandbox/shell/shell.ts';
import { LiveLines } from './live-lines.ts';

/**
 * Commands that the user types after `!`: run as the user, output shown live and passed to the model with the
 * next prompt.
 */
export class UserShell {
  readonly #place: { cwd: string; env: NodeJS.ProcessEnv };
  #shell: SessionShell | null = null;
  #running: AbortController | null = null;
  #told: TextPart[] = [];

  constructor(place: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#place = place;
  }

  async run(command: string, print: (text: string) => void): Promise<void> {
    this.#shell ??= createShell(this.#place);
    this.#running = new AbortController();
    try {
      const lines = new LiveLines(print);
      const { ending, told } = await runOwnCommand(command, {
        shell: this.#shell,
        signal: this.#running.signal,
        onOutput: (text) => lines.take(text),
      });
      lines.end();
      if (ending !== '') print(ending);
      this.#told.push({ type: 'text', text: told, origin: { kind: 'command', name: command } });
    } finally {
      this.#running = null;
    }
  }

  /** False when nothing was running. */
  interrupt(): boolean {
    this.#running?.abort();
    return this.#running !== null;
  }

  /** Takes the output that the model has not seen yet. */
  takeTold(): TextPart[] {
    return this.#told.splice(0);
  }

  async close(): Promise<void> {
    this.interrupt();
    await this.#shell?.close();
  }
}
