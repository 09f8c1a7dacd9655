import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno } from './real-path.ts';

const POLL_MS = 25;

/** Ends a detached child and all it started: TERM, then KILL for whoever is left after `graceMs`. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTree(leader);
  signalGroup(leader, 'SIGTERM');
  if (await goneWithin(leader, graceMs)) return;
  signalGroup(leader, 'SIGKILL');
  await goneWithin(leader, 500);
}

/** Whether anybody of the group still runs. */
export function isGroupAlive(leader: number): boolean {
  return signalGroup(leader, 0) && !isOnlyZombies(leader);
}

/** In a container without an init the dead stay listed for ever, and a signal to them succeeds. */
function isOnlyZombies(leader: number): boolean {
  if (process.platform !== 'linux') return false;
  const states = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => stateIn(leader, pid));
  return states.length > 0 && states.every((state) => state === 'Z' || state === 'X');
}

/** The state letter of a process if it belongs to the group. */
function stateIn(leader: number, pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may itself hold brackets and spaces.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leader ? [state] : [];
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])) return [];
    throw error;
  }
}

/** False when nobody is there to hear it. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal);
    return true;
  } catch (error) {
    if (isErrno(error, ['ESRCH', 'EPERM'])) return false;
    throw error;
  }
}

async function goneWithin(leader: number, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (isGroupAlive(leader)) {
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
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
