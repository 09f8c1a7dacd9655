import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import path from 'node:path';
import { EngineFault, RemoteEngine } from '../models/remote.ts';
import { type Gpu, gpusOf } from './platform.ts';
import { probeModel } from './probe-model.ts';
import type { InstalledRuntime } from './runtime-folder.ts';

/** What came of one try to compute something. `freeBytes` is the free memory of the graphics card. */
export type GpuTrial = { gpu: Gpu; device?: string; freeBytes?: number } & (
  | { works: true }
  | { works: false; why: string }
);

export type GpuProbe = { trials: GpuTrial[] };

/** The built worker file, and its environment. */
export type EngineProcess = { worker: string; env: Record<string, string> };

const CPU: GpuTrial = { gpu: 'none', works: true };
/** Compiling kernels for a card takes this long at most. */
const PROBE_MS = 120_000;

/**
 * Which GPU works here, in order of speed up to the first that does; the CPU is last. Tried in a process of its own,
 * since a library that does not fit a driver ends its process. Remembered until the driver or the runtime changes.
 */
export async function probeGpus(runtime: InstalledRuntime, how: EngineProcess): Promise<GpuProbe> {
  const known = await readProbe(runtime);
  if (known?.trials.some(({ works }) => works)) return known;
  const trials = [...(known?.trials ?? [])];
  for (const gpu of gpusOf(runtime.packages).filter((one) => trials.every((trial) => trial.gpu !== one))) {
    const trial = await tryGpu(runtime, gpu, how);
    trials.push(!trial.works && gpu === 'cuda' ? await tryOlderCuda(runtime, trial, how) : trial);
    if (trials.at(-1)?.works) break;
  }
  if (!trials.some(({ works }) => works)) trials.push(CPU);
  await writeProbe(runtime, trials);
  return { trials };
}

/** The last probe; undefined if there is none, or it was of another driver or runtime. */
export async function readProbe(runtime: InstalledRuntime): Promise<GpuProbe | undefined> {
  if (gpusOf(runtime.packages).length === 0) return { trials: [CPU] };
  try {
    const { key, trials } = JSON.parse(await readFile(fileOf(runtime), 'utf8'));
    return key === (await keyOf(runtime)) && Array.isArray(trials) ? { trials } : undefined;
  } catch {
    return undefined;
  }
}

/** For a backend that failed at its work: with this driver and runtime, the next one is used from now on. */
export async function markBroken(runtime: InstalledRuntime, gpu: Gpu, why: string): Promise<void> {
  const { trials } = (await readProbe(runtime)) ?? { trials: [] };
  const others = trials.filter((trial) => trial.gpu !== gpu && trial.gpu !== 'none');
  await writeProbe(runtime, [...others, { gpu, works: false, why }]);
}

/** The one to use. */
export function workingGpu({ trials }: GpuProbe): GpuTrial {
  return trials.find(({ works }) => works) ?? CPU;
}

async function tryGpu(
  runtime: InstalledRuntime,
  gpu: Gpu,
  { worker, env }: EngineProcess,
): Promise<GpuTrial> {
  const model = path.join(runtime.folder, 'probe.gguf');
  if (!existsSync(model)) await writeFile(model, probeModel());
  const engine = new RemoteEngine(worker, env);
  const late = setTimeout(() => void engine.close(), PROBE_MS);
  try {
    const fit = { contextSize: 256, batchSize: 256, threads: 1 };
    const order = { runtime: runtime.folder, gpu, model, template: null, fit };
    const { device, freeBytes } = await engine.ask('load', order).answer;
    await engine.ask('generate', PROBE_ORDER).answer;
    return { gpu, works: true, ...(device !== undefined && { device }), ...(freeBytes && { freeBytes }) };
  } catch (error) {
    return { gpu, works: false, why: whyOf(error as Error) };
  } finally {
    clearTimeout(late);
    await engine.close();
  }
}

const PROBE_ORDER = {
  prompt: 'abab'.repeat(16),
  kept: null,
  maxTokens: 2,
  temperature: 0,
  seed: 1,
  stop: [],
  specials: 'shown',
  constraints: [],
} as const;

function whyOf(error: Error): string {
  if (error instanceof EngineFault && error.fault === 'died') return 'it crashes with this driver';
  if (error instanceof EngineFault && error.fault === 'killed') return 'it does not finish';
  if (/NoBinaryFound/.test(error.message)) return 'its libraries cannot be loaded';
  return error.message.split('\n', 1)[0] || 'it does not start';
}

/** With the library for the newer CUDA out of the way, the runtime loads the one for the older. */
async function tryOlderCuda(
  runtime: InstalledRuntime,
  newer: GpuTrial,
  how: EngineProcess,
): Promise<GpuTrial> {
  const { folder, packages } = runtime;
  const cuda = packages.find((name) => name.endsWith('-cuda'));
  if (!cuda || !packages.includes(`${cuda}-ext`)) return newer;
  const bins = path.join(folder, 'node_modules/@node-llama-cpp', cuda, 'bins', cuda);
  const library = path.join(bins, cuda.startsWith('win') ? 'ggml-cuda.dll' : 'libggml-cuda.so');
  const aside = `${library}.unused`;
  if (!existsSync(library)) return newer;
  await rename(library, aside);
  const older = await tryGpu(runtime, 'cuda', how);
  if (older.works) return older;
  await rename(aside, library);
  return newer;
}

function fileOf({ folder }: InstalledRuntime): string {
  return path.join(folder, 'probe.json');
}

async function keyOf({ packages }: InstalledRuntime): Promise<string> {
  const nvidia = await readFile('/proc/driver/nvidia/version', 'utf8').catch(() => '');
  return [packages.join(), release(), nvidia.split('\n', 1)[0]].join(' | ');
}

async function writeProbe(runtime: InstalledRuntime, trials: readonly GpuTrial[]): Promise<void> {
  const text = `${JSON.stringify({ key: await keyOf(runtime), trials }, null, 2)}\n`;
  // What cannot be written, or is read half written, is only tried again.
  await writeFile(fileOf(runtime), text).catch(() => undefined);
}
