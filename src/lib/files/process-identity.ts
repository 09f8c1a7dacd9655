import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256 } from '../sha256.ts';

/**
 * One process of one machine. `boot` is the running kernel and `pids` the set of process numbers that it counts in, so
 * that a container has its own; `started` tells the process from a later one of the same number. Each is empty where
 * the system does not say, and short: file systems keep a lock of less than 60 characters without a block of its own.
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

/** Whether its number means that process here, too: the same kernel, and not another container. */
export function isVisible({ host, boot, pids }: ProcessName): boolean {
  const here = thisProcess();
  return boot === here.boot && pids === here.pids && (boot !== '' || host === here.host);
}

/** `unknown` for a process of another machine or container. */
export function isRunning(name: ProcessName): boolean | 'unknown' {
  const { host, boot, pid, started } = name;
  const here = thisProcess();
  // After a restart of the machine nothing runs that ran before.
  if (!isVisible(name)) return host === here.host && boot !== here.boot ? false : 'unknown';
  const state = hasOwnTable() ? stateOf(pid) : null;
  if (state) return !state.dead && (started === '' || state.started === started);
  return answersToSignals(pid);
}

/** Whether /proc counts as this process does: in a new set of process numbers it may still be the one of outside. */
function hasOwnTable(): boolean {
  return attempt(() => readlinkSync('/proc/self')) === String(process.pid);
}

/** Null where there is no such process, or no such place to look. */
function stateOf(pid: number | 'self'): { dead: boolean; started: string } | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === null) return null;
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

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
