import { readFileSync } from 'node:fs';
import { isErrno } from '../files/real-path.ts';
import { listProcesses, type ProcessRow } from './process-table.ts';

/** What one command and everything it starts may use together. */
export type CommandLimits = {
  /** Processes and threads. */
  maxProcesses: number;
  maxMemoryMb: number;
};

/** Most commands have ended before the first look. */
const INTERVAL_MS = 500;

/**
 * Looks at a running command twice a second and calls `onExceeded` once, with a note for whoever reads its output.
 * Polling works everywhere: cgroups need root or systemd, and no resource limit counts the memory of several
 * processes or binds root.
 */
export function watchLimits(
  leader: number,
  limits: CommandLimits,
  onExceeded: (note: string) => void,
): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const next = () => {
    timer = setTimeout(async () => {
      const note = exceededNote(familyOf(leader, await listProcesses()), limits);
      if (ended) return;
      if (note === null) next();
      else onExceeded(note);
    }, INTERVAL_MS).unref();
  };
  next();
  return {
    end() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

/** The leader's group and all descendants. */
function familyOf(leader: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const childrenOf = new Map<number, ProcessRow[]>();
  for (const row of rows) childrenOf.set(row.parent, [...(childrenOf.get(row.parent) ?? []), row]);
  const family = new Map(rows.filter(({ group }) => group === leader).map((row) => [row.pid, row]));
  // A map is walked in the order of insertion, what is added on the way included.
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
  // Pages that processes share were counted once for each. The exact figure costs more, so only now.
  const used = Math.round(sum(family.map((row) => proportionalKb(row.pid) ?? row.residentKb)) / 1024);
  if (used <= limits.maxMemoryMb) return null;
  return `[Stopped: the command used ${used} MB of memory; the limit is ${limits.maxMemoryMb} MB (setting sandbox.maxMemoryMb).]\n`;
}

/** Null where the system does not say. */
function proportionalKb(pid: number): number | null {
  try {
    const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
    return found ? Number(found[1]) : null;
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])) return null;
    throw error;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
