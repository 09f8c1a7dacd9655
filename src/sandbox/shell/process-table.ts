import { execFile } from 'node:child_process';
import { openSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { unlessErrno } from '../../lib/files/errno.ts';

/** The page size of Linux on nearly every machine; where it is larger, memory is undercounted. */
const PAGE_KB = 4;

/** A process that is not a zombie. `started` distinguishes it from a later one with the same pid. */
export type ProcessRow = {
  pid: number;
  parent: number;
  group: number;
  started: string;
  /** One if the system does not provide it. */
  threads: number;
  residentKb: number;
  marked: boolean;
};

/**
 * Every process keeps its initial environment, so a mark in there finds those that left their group. A
 * process that cleared its environment may still hold the descriptor from `openMark`.
 */
export type Mark = { name: string; prefix: string };

/** High enough not to conflict with scripts that open their own descriptors. */
export const MARK_DESCRIPTOR = 19;
const MARK_FILE = '/aca-command-';

/**
 * A descriptor for a process and its children to inherit, by which `mark` finds them; null if none is
 * available.
 */
export function openMark({ prefix }: Mark): number | null {
  if (process.platform !== 'linux') return null;
  const file = `${tmpdir()}${MARK_FILE}${prefix}`;
  return unlessErrno(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOSPC', 'EDQUOT', 'EMFILE'], null, () => {
    const descriptor = openSync(file, 'wx+', 0o600);
    unlinkSync(file);
    return descriptor;
  });
}

/**
 * The running processes; `marked` are those started with the mark. Empty if the system does not list them.
 */
export async function listProcesses(mark?: Mark): Promise<ProcessRow[]> {
  if (process.platform === 'win32') return [];
  return process.platform === 'linux' ? readProc(mark) : runPs(mark);
}

function readProc(mark: Mark | undefined): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const row = parseStat(Number(pid), readIfAny(`/proc/${pid}/stat`));
      if (!row) return [];
      // The kernel shows only the environment of the user's own processes.
      return [{ ...row, marked: mark !== undefined && isMarked(pid, mark) }];
    });
}

function parseStat(pid: number, stat: string): Omit<ProcessRow, 'marked'> | null {
  // The name in parentheses may itself contain parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  if (state === '' || isDead(state)) return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    started: fields[19] ?? '',
    threads: Number(fields[17]),
    residentKb: Number(fields[21]) * PAGE_KB,
  };
}

function isMarked(pid: string, { name, prefix }: Mark): boolean {
  const environment = readIfAny(`/proc/${pid}/environ`);
  const wanted = `${name}=${prefix}`;
  if (environment.startsWith(wanted) || environment.includes(`\0${wanted}`)) return true;
  return linkOf(`/proc/${pid}/fd/${MARK_DESCRIPTOR}`).includes(`${MARK_FILE}${prefix}`);
}

function linkOf(file: string): string {
  return unlessErrno(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'], '', () => readlinkSync(file));
}

/** As UTF-8, which the runtime decodes many times faster than other encodings. */
function readIfAny(file: string): string {
  return unlessErrno(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'], '', () => readFileSync(file, 'utf8'));
}

/** In a container without an init, zombies stay listed forever. */
function isDead(state: string): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}

/** macOS shows the environment after the command, except for the system's own programs. */
function runPs(mark: Mark | undefined): Promise<ProcessRow[]> {
  const environment = process.platform === 'darwin' ? ['-E'] : [];
  const args = ['-A', ...environment, '-ww', '-o', 'pid=,ppid=,pgid=,stat=,rss=,lstart=,command='];
  return new Promise((resolve) => {
    execFile('/bin/ps', args, { maxBuffer: 64 * 1024 * 1024, timeout: 2_000 }, (error, stdout) => {
      resolve(error ? [] : parsePs(stdout, mark));
    });
  });
}

export function parsePs(table: string, mark: Mark | undefined): ProcessRow[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+[\d:]+\s+\d+)\s+(.*)$/;
  return table.split('\n').flatMap((text) => {
    const [, pid, parent, group, state = '', resident, started = '', rest = ''] = line.exec(text) ?? [];
    if (pid === undefined || isDead(state)) return [];
    const marked = mark !== undefined && rest.includes(` ${mark.name}=${mark.prefix}`);
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        started,
        threads: 1,
        residentKb: Number(resident),
        marked,
      },
    ];
  });
}
