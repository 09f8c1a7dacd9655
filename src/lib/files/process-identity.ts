import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256 } from '../sha256.ts';
import { unlessErrno } from './errno.ts';

/**
 * Identifies one process on one machine. `boot` is the running kernel and `pids` the pid namespace, so that
 * containers differ; `started` distinguishes it from a later process with the same pid. Each is empty where
 * the system does not provide it. All are short: file systems store link targets under 60 characters without
 * an extra block.
 */
export type ProcessName = { host: string; boot: string; pids: string; pid: number; started: string };

let own: ProcessName | undefined;

export function thisProcess(): ProcessName {
  own ??= {
    host: sha256(hostname()).slice(0, 6),
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)) ?? '',
    pids: attempt(() => readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')) ?? '',
    pid: process.pid,
    started: stateOf('self')?.started ?? '',
  };
  return own;
}

/** Whether its pid refers to that process here, too: the same kernel and not another container. */
export function isVisible({ host, boot, pids }: ProcessName): boolean {
  const here = thisProcess();
  return boot === here.boot && pids === here.pids && (boot !== '' || host === here.host);
}

/** `unknown` for a process on another machine or in another container. */
export function isRunning(name: ProcessName): boolean | 'unknown' {
  const { host, boot, pid, started } = name;
  const here = thisProcess();
  // Processes do not survive a restart of the machine.
  if (!isVisible(name)) return host === here.host && boot !== here.boot ? false : 'unknown';
  const state = hasOwnTable() ? stateOf(pid) : null;
  if (state) return !state.dead && (started === '' || state.started === started);
  return answersToSignals(pid);
}

/** Whether /proc matches this process's pid namespace: in a new namespace it may still be the outer one. */
function hasOwnTable(): boolean {
  return attempt(() => readlinkSync('/proc/self')) === String(process.pid);
}

/** Null if there is no such process, or no /proc. */
function stateOf(pid: number | 'self'): { dead: boolean; started: string } | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === null) return null;
  // The name in parentheses may itself contain parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { dead: /^[ZX]/.test(fields[0] ?? ''), started: fields[19] ?? '' };
}

function answersToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function attempt<T>(read: () => T): T | null {
  return unlessErrno('any', null, () => read());
}
