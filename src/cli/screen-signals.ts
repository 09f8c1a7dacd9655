import type { Screen } from '../tui/screen.ts';
import type { Terminal } from './terminal.ts';

/** How long somebody who closed the terminal may be kept. */
const LEAVING_MS = 4_000;

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** The first signal ends the conversation in good order; a second one, or a long wait, ends the process. */
export function leaveOnSignals(
  screen: Pick<Screen, 'quit'>,
  terminal: Terminal,
): { exitCode: number | null } {
  const state: { exitCode: number | null } = { exitCode: null };
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    terminal.onSignal(name, () => {
      const code = 128 + NUMBERS[name];
      if (state.exitCode !== null) process.exit(code);
      state.exitCode = code;
      setTimeout(() => process.exit(code), LEAVING_MS).unref();
      screen.quit();
    });
  }
  return state;
}

/** Where the terminal is closed, the runtime's own ending would try to put its modes back, and abort over that. */
export function leaveWithoutTerminal(): void {
  // There is no such signal to send, and no such trouble.
  if (process.platform === 'win32') process.exit(128 + NUMBERS.SIGHUP);
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
