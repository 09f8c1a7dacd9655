import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessErrno } from '../../lib/files/errno.ts';
import { listProcesses, type Mark, type ProcessRow } from './process-table.ts';

const POLL_MS = 25;
const MAX_POLL_MS = 100;
/** How long to wait for killed processes: one that hangs in the kernel cannot be ended. */
const KILL_MS = 500;

/** Commands and all their processes: their groups, processes with the mark, and the children of both. */
export type Family = {
  leaders: readonly number[];
  mark: Mark;
  /** Launchers that end once the processes inside have, and would kill them if signalled first. */
  launchers?: ReadonlySet<number>;
};

/**
 * Ends a family: TERM, then KILL for the rest after `graceMs`. Also finds processes that started a new
 * session or lost their parents, unless they cleared their environment (or hide it: macOS, system programs),
 * closed the descriptor of the mark and lost their parents, all three. On Windows: the tree of children below
 * a leader that still runs.
 */
export async function endFamily(family: Family, graceMs: number): Promise<void> {
  if (process.platform === 'win32') {
    await Promise.all(family.leaders.map(endTree));
    return;
  }
  const known = new Map<number, string>();
  signalAll(family, await findMembers(family, known), 'SIGTERM');
  if (await endedWithin(family, known, { ms: graceMs })) return;
  await endedWithin(family, known, { ms: KILL_MS, signal: 'SIGKILL' });
}

/** Whether any process of the group still runs. */
export async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  // Signalling a zombie succeeds.
  return process.platform !== 'linux' || (await listProcesses()).some((row) => row.group === leader);
}

/** `known` collects every process ever found: a child whose parents have ended meanwhile is not lost. */
async function findMembers({ leaders, mark }: Family, known: Map<number, string>): Promise<ProcessRow[]> {
  const rows = await listProcesses(mark);
  const members = new Set<number>();
  const belongs = (row: ProcessRow) =>
    row.marked ||
    leaders.includes(row.group) ||
    members.has(row.parent) ||
    known.get(row.pid) === row.started;
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const row of rows) if (row.pid !== process.pid && belongs(row)) members.add(row.pid);
  }
  const found = rows.filter((row) => members.has(row.pid));
  for (const row of found) known.set(row.pid, row.started);
  return found;
}

type Wait = { ms: number; signal?: NodeJS.Signals };

/** With a signal, every process still found gets it at each check: new ones may have started in between. */
async function endedWithin(
  family: Family,
  known: Map<number, string>,
  { ms, signal }: Wait,
): Promise<boolean> {
  const deadline = Date.now() + ms;
  for (let pause = POLL_MS; ; pause = Math.min(2 * pause, MAX_POLL_MS)) {
    const members = await findMembers(family, known);
    if (members.length === 0 && !(await isAnyAlive(family.leaders))) return true;
    if (signal) signalAll(family, members, signal);
    if (Date.now() >= deadline) return false;
    await sleep(pause);
  }
}

async function isAnyAlive(leaders: readonly number[]): Promise<boolean> {
  return (await Promise.all(leaders.map(isGroupAlive))).includes(true);
}

/** Signals each process only once: many programs treat a second TERM as a forced exit. */
function signalAll(
  { leaders, launchers }: Family,
  members: readonly ProcessRow[],
  signal: NodeJS.Signals,
): void {
  const isSpared = (pid: number) => signal === 'SIGTERM' && launchers?.has(pid);
  for (const leader of leaders) if (!isSpared(leader)) signalGroup(leader, signal);
  for (const { pid, group } of members)
    if (!leaders.includes(group) && !isSpared(pid)) signalOne(pid, signal);
}

export function killGroup(leader: number): void {
  signalGroup(leader, 'SIGKILL');
}

/** False if there is no such process. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return signalOne(process.platform === 'win32' ? leader : -leader, signal);
}

function signalOne(pid: number, signal: NodeJS.Signals | 0): boolean {
  return unlessErrno(['ESRCH', 'EPERM'], false, () => {
    process.kill(pid, signal);
    return true;
  });
}

/** Windows has no process groups to signal; taskkill walks the tree of children. */
async function endTree(leader: number): Promise<void> {
  const taskkill = spawn('taskkill', ['/pid', String(leader), '/T', '/F'], {
    stdio: 'ignore',
    windowsHide: true,
  });
  await new Promise<void>((resolve) => {
    taskkill.once('error', () => resolve());
    taskkill.once('exit', () => resolve());
  });
}
