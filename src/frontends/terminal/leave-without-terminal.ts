import { constants } from 'node:os';

/** If the terminal is closed, the runtime's own exit would try to restore its modes, and abort. */
export function leaveWithoutTerminal(): void {
  // Windows has neither this signal nor this problem.
  if (process.platform === 'win32') process.exit(128 + constants.signals.SIGHUP);
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
