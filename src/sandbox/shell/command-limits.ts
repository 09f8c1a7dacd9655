import { readFileSync } from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';
import { listProcesses, type ProcessRow } from './process-table.ts';

/** What one command and all its processes may use together. */
export type CommandLimits = {
  /** Processes and threads. */
  maxProcesses: number;
  maxMemoryMb: number;
};

const INTERVAL_MS = 500;

/** `watch` calls `onExceeded` at most once, with a note for the reader of the command's output. */
export type LimitWatch = {
  watch(leader: number, onExceeded: (note: string) => void): void;
  forget(leader: number): void;
};

/**
 * Checks all running commands together, twice a second. Polling works everywhere: cgroups need root or
 * systemd, and no resource limit covers the memory of several processes or applies to root.
 */
export function createLimitWatch(limits: CommandLimits): LimitWatch {
  const watched = new Map<number, (note: string) => void>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const rows = await listProcesses();
    for (const [leader, onExceeded] of watched) {
      const note = exceededNote(familyOf(leader, rows), limits);
      if (note === null) continue;
      watched.delete(leader);
      onExceeded(note);
    }
    timer = undefined;
    schedule();
  }

  function schedule(): void {
    if (watched.size > 0) timer ??= setTimeout(check, INTERVAL_MS).unref();
  }

  return {
    watch(leader, onExceeded) {
      watched.set(leader, onExceeded);
      schedule();
    },
    forget(leader) {
      watched.delete(leader);
      if (watched.size > 0) return;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** The leader's group and all descendants. */
function familyOf(leader: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const childrenOf = new Map<number, ProcessRow[]>();
  for (const row of rows) childrenOf.set(row.parent, [...(childrenOf.get(row.parent) ?? []), row]);
  const family = new Map(rows.filter(({ group }) => group === leader).map((row) => [row.pid, row]));
  // A map is iterated in insertion order, including entries added meanwhile.
  for (const pid of family.keys())
    for (const child of childrenOf.get(pid) ?? []) family.set(child.pid, child);
  return [...family.values()];
}

function exceededNote(family: readonly ProcessRow[], limits: CommandLimits): string | null {
  const processes = sum(family.map(({ threads }) => threads));
  if (processes > limits.maxProcesses)
    return `[Stopped: the command ran ${processes} processes and threads; the limit is ${limits.maxProcesses} (setting sandbox.maxProcesses).]\n`;
  const resident = sum(family.map(({ residentKb }) => residentKb)) / 1024;
  if (resident <= limits.maxMemoryMb) return null;
  // Shared pages were counted once per process. The exact figure is more expensive, so it is only computed
  // now.
  const used = Math.round(sum(family.map((row) => proportionalKb(row.pid) ?? row.residentKb)) / 1024);
  if (used <= limits.maxMemoryMb) return null;
  return `[Stopped: the command used ${used} MB of memory; the limit is ${limits.maxMemoryMb} MB (setting sandbox.maxMemoryMb).]\n`;
}

/** Null if the system does not provide it. */
function proportionalKb(pid: number): number | null {
  return unlessErrno(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'], null, () => {
    const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
    return found ? Number(found[1]) : null;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
