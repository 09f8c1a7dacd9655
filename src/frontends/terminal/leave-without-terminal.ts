import { constants } from 'node:os';

/** Where the terminal is closed, the runtime's own ending would try to put its modes back, and abort over that. */
export function leaveWithoutTerminal(): void {
  // There is no such signal to send, and no such trouble.
  if (process.platform === 'win32') process.exit(128 + constants.signals.SIGHUP);
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
