import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux and macOS: a zombie counts as gone. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(status);
}

/** Waits for the process id that a command writes there. */
export async function pidIn(file: string): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const pid = Number(await readFile(file, 'utf8').catch(() => ''));
    if (pid > 0) return pid;
    await sleep(20);
  }
  throw new Error(`no pid in ${file}`);
}

/** Command lines of running processes that contain this word, from ps. */
export function runningWith(word: string): string[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(word) && !line.startsWith('Z'));
}

/** The ids of running processes whose command line contains this word. */
export function pidsOf(word: string): Set<number> {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  const found = lines.filter((line) => line.includes(word) && !/^\s*\d+\s+Z/.test(line));
  return new Set(found.map((line) => Number.parseInt(line, 10)));
}

/** Waits until no process contains this word; after the timeout, returns what is left. */
export async function leftAfter(word: string, ms: number): Promise<string[]> {
  for (const deadline = Date.now() + ms; ; await sleep(50)) {
    const left = runningWith(word);
    if (left.length === 0 || Date.now() > deadline) return left;
  }
}

/** Waits until no process has its working directory in this folder; fails on a timeout. Linux only. */
export async function nobodyIn(folder: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await sleep(10)) {
    const left = runningIn(folder);
    if (left.length === 0) return;
    if (Date.now() > deadline) throw new Error(`Still running in ${folder}: ${left.join(', ')}`);
  }
}

/** Command lines of the processes whose working directory is in this folder. Linux only. */
export function commandsIn(folder: string): string[] {
  return runningIn(folder).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
}

function runningIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    const cwd = /^\d+$/.test(pid) ? cwdOf(pid) : '';
    return cwd === folder || cwd.startsWith(`${folder}/`);
  });
}

/** Empty for a process that has exited meanwhile. */
function cwdOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
