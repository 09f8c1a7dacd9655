import { readdir, readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** CPU time used so far by a process and all its descendants. */
export async function cpuMs(pid: number): Promise<number> {
  return sumOver(pid, async (one) => {
    const stat = await readFile(`/proc/${one}/stat`, 'utf8');
    // The name before may contain spaces; user and system time are the 12th and 13th word after it.
    const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(words[11]) + Number(words[12])) * TICK_MS;
  });
}

/** Memory of a process and all its descendants. */
export async function residentMb(pid: number): Promise<number> {
  return sumOver(pid, async (one) => {
    const status = await readFile(`/proc/${one}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  });
}

async function sumOver(pid: number, figure: (pid: number) => Promise<number>): Promise<number> {
  const pids = [pid, ...(await descendants(pid))];
  const figures = await Promise.all(pids.map((one) => figure(one).catch(() => 0)));
  return figures.reduce((sum, one) => sum + one, 0);
}

async function descendants(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

export function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN;
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}
