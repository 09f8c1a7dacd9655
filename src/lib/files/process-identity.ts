import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** One process of one machine. `started` tells it from a later one of the same number, where the system says. */
export type ProcessName = { host: string; pid: number; started: string };

export function thisProcess(): ProcessName {
  return { host: hostname(), pid: process.pid, started: stateOf(process.pid)?.started ?? '' };
}

/** `unknown` for a process of another machine. */
export function isRunning({ host, pid, started }: ProcessName): boolean | 'unknown' {
  if (host !== hostname()) return 'unknown';
  const state = stateOf(pid);
  if (state) return !state.dead && (started === '' || state.started === started);
  return process.platform === 'linux' ? false : answersToSignals(pid);
}

/** Null where there is no such process, or no such place to look. */
function stateOf(pid: number): { dead: boolean; started: string } | null {
  if (process.platform !== 'linux') return null;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
  // The name in brackets may itself hold brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { dead: /^[ZX]/.test(fields[0] ?? ''), started: fields[19] ?? '' };
}

function answersToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
