import path from 'node:path';
import { writeTinyModel } from '../../scripts/make-tiny-gguf.mjs';
import { fitModel } from '../../src/embedded/models/fit.ts';
import { readGguf } from '../../src/embedded/models/gguf.ts';
import { createEmbedded, type EmbeddedOptions, type EmbeddedProvider } from '../../src/embedded/provider.ts';
import type { InstalledRuntime } from '../../src/embedded/runtime/runtime-folder.ts';
import { systemWithSummary } from '../../src/providers/summary.ts';
import { withTextTools } from '../../src/providers/text-tools/text-tools.ts';
import { createThinkSplitter } from '../../src/providers/text-tools/thinking.ts';
import { bundleScript } from './bundle-script.ts';

const root = process.cwd();

/** A separate data root that outlives a test run: its runtime is downloaded once. */
export const runtimeHome = path.join(root, 'node_modules/.cache/embedded');

export type TinyOptions = Parameters<typeof writeTinyModel>[1];

/** Replies "Hello world." to everything. */
export const GREETS: string[][] = [['Ċ', 'Hello', 'Ġworld', '.', '<|im_end|>']];

/**
 * Starts a call; constrained by a grammar, it becomes a Read of the file `Read`, whatever other tools there
 * are.
 */
export const CALLS: string[][] = [
  ['Ċ', '<tool_call>'],
  ['"', 'R', 'e', 'a', 'd', '"'],
  ['Ġ"', 'R'],
  ['</tool_call>', '<|im_end|>'],
];

/** Writes a tiny model; returns its path. */
export async function tinyModel(file: string, options: TinyOptions): Promise<string> {
  await writeTinyModel(file, options);
  return file;
}

/** Builds the worker as the product build does, from the current source. */
export async function buildWorker(): Promise<string> {
  const outfile = path.join(runtimeHome, `worker-${process.pid}.mjs`);
  await bundleScript('src/embedded/worker.ts', outfile);
  return outfile;
}

export type TinyProvider = Partial<EmbeddedOptions> & { runtime: InstalledRuntime; worker: string };

/** A provider for a tiny model written to `file`; one thread, deterministic replies. */
export async function tinyProvider(
  file: string,
  model: TinyOptions,
  options: TinyProvider,
): Promise<EmbeddedProvider> {
  const facts = await readGguf(await tinyModel(file, model));
  return createEmbedded({
    name: 'embedded',
    facts,
    fit: { ...fitModel(facts, { freeBytes: 4e9, cores: 1 }), threads: 1 },
    reading: {
      withCalls: (provider, mode) =>
        withTextTools(provider, { mode, resultRole: mode === 'native' ? 'tool' : 'user' }),
      splitThinking: createThinkSplitter,
      systemOf: systemWithSummary,
    },
    stateFolder: null,
    env: { PATH: process.env.PATH ?? '' },
    seed: 1,
    ...options,
  });
}
