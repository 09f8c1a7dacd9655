import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Gpu } from './platform.ts';
import { RUNTIME_VERSION } from './runtime-version.ts';

/** An installed runtime. `packages` are those of the platform. */
export type InstalledRuntime = { folder: string; gpu: Gpu; packages: string[] };

/** Written last: a folder without it is incomplete. */
export const RUNTIME_MARK = 'installed.json';

export function runtimeFolder(dataRoot: string): string {
  return path.join(dataRoot, 'runtime', `node-llama-cpp-${RUNTIME_VERSION}`);
}

/** Null if there is none, or it is incomplete. */
export function installedRuntime(dataRoot: string): Promise<InstalledRuntime | null> {
  return runtimeIn(runtimeFolder(dataRoot));
}

export async function runtimeIn(folder: string): Promise<InstalledRuntime | null> {
  try {
    const { gpu, packages } = JSON.parse(await readFile(path.join(folder, RUNTIME_MARK), 'utf8'));
    return { folder, gpu, packages };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
