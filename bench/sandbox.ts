import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createShell, type SessionShell } from '../src/sandbox/shell/shell.ts';
import { defaultConfinement } from '../test/support/confinement.ts';
import type { ToolRow } from './tools.ts';

const ROUNDS = 25;

/**
 * What bubblewrap adds to a command: the same shell with and without it, interleaved, compared with a bare
 * spawn.
 */
export async function sandboxRows(): Promise<ToolRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-sandbox-')));
  const cwd = path.join(folder, 'project');
  const home = path.join(folder, 'home');
  const sandboxed = createShell({
    cwd,
    env: process.env,
    confine: { ...defaultConfinement(home), isClosed: (file) => file.endsWith('/.env') },
  });
  const host = createShell({ cwd, env: process.env });
  try {
    await Promise.all([mkdir(cwd), mkdir(home)]);
    return await measure({ sandboxed, host, cwd });
  } finally {
    await Promise.all([sandboxed.close(), host.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

type Measured = { sandboxed: SessionShell; host: SessionShell; cwd: string };

async function measure({ sandboxed, host, cwd }: Measured): Promise<ToolRow[]> {
  await writeFile(path.join(cwd, '.env'), 'A=1\n');
  const { kind } = await sandboxed.sandbox();
  if (kind !== 'bubblewrap') return [];
  const figures = { sandboxed: [] as number[], host: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const inside = await timed(() => run(sandboxed));
    const outside = await timed(() => run(host));
    const bare = await timed(() => bareSpawn(cwd));
    // The first round is a warm-up.
    if (round === 0) continue;
    figures.sandboxed.push(inside);
    figures.host.push(outside);
    figures.bare.push(bare);
  }
  const without = median(figures.host);
  return [
    {
      what: 'bubblewrap, over the same command without it',
      ms: median(figures.sandboxed) - without,
      baseline: { what: 'plain spawn', ms: median(figures.bare) },
      target: 'under 15',
    },
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function run(shell: SessionShell): Promise<void> {
  const { exitCode, signal, stderr } = await shell.run({
    command: ':',
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  });
  if (exitCode !== 0) throw new Error(`the command ended with ${exitCode} ${signal}: ${stderr}`);
}

function bareSpawn(cwd: string): Promise<void> {
  const child = spawn('/bin/bash', ['-c', ':'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
