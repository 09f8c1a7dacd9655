import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { availableMemory } from '../../embedded/models/available-memory.ts';
import { type Fit, fitModel, memoryNeeded } from '../../embedded/models/fit.ts';
import type { GgufFacts } from '../../embedded/models/gguf.ts';
import { isPath, ModelStore, meansFile } from '../../embedded/models/model-store.ts';
import type { EmbeddedProvider, Reading } from '../../embedded/provider.ts';
import { describeProbe } from '../../embedded/runtime/gpu-words.ts';
import { cudaFolders, partsFor } from '../../embedded/runtime/platform.ts';
import {
  type EngineProcess,
  type GpuTrial,
  probeGpus,
  readProbe,
  workingGpu,
} from '../../embedded/runtime/probe.ts';
import { installedRuntime } from '../../embedded/runtime/runtime-folder.ts';
import { thisMachine } from '../../embedded/runtime/this-machine.ts';
import { workerArgument } from '../../embedded/worker-argument.ts';
import { fileSize } from '../../lib/text/file-size.ts';
import type { Preset } from '../../providers/presets.ts';
import type { Choice } from './choose-model.ts';

/**
 * Defined by the build: the worker's file next to the importing one, and the target of the standalone binary, which
 * runs itself as the worker.
 */
declare const EMBEDDED_WORKER: string;
declare const ACA_BINARY: string | undefined;

export type EmbeddedPlace = { dataRoot: string; cwd: string; config: Config; env: NodeJS.ProcessEnv };

/** Variables needed to find libraries and drivers. The runtime gets no keys. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USERPROFILE|SYSTEMROOT|WINDIR|TE?MP|TMPDIR|LD_LIBRARY_PATH|(DYLD|CUDA|NVIDIA|VK|GGML|OMP)_\w+)$/i;

export const embeddedPreset: Preset = {
  name: 'embedded',
  label: 'Embedded model',
  protocol: 'embedded',
  baseUrl: '',
  keyEnv: [],
  local: true,
};

/** A larger share would leave too little of the window for the conversation. */
const OUTPUT_SHARE = 1 / 4;

/** The embedded model that this name refers to, if any: `embedded/NAME`, or a file. */
export async function chooseEmbedded(text: string, place: EmbeddedPlace): Promise<Choice | null> {
  const prefix = `${embeddedPreset.name}/`;
  const name = text.startsWith(prefix) ? text.slice(prefix.length) : meansFile(text, place) ? text : null;
  if (name === null) return null;
  const facts = await new ModelStore(place.dataRoot).facts(name, place);
  if (facts.isEmbedding) {
    throw new UserError(
      `${name} is an embedding model; it cannot chat.`,
      'Memory uses it automatically. Choose a chat model: aca models list.',
    );
  }
  return choiceFor(isPath(name) ? facts.file : name, facts, place);
}

/** An installed model that is ready to use; null without a runtime or a model. */
export async function firstEmbedded(place: EmbeddedPlace): Promise<Choice | null> {
  if (!(await installedRuntime(place.dataRoot))) return null;
  const models = await new ModelStore(place.dataRoot).readable();
  const chatModel = models.find(({ facts }) => !facts.isEmbedding);
  return chatModel ? choiceFor(chatModel.name, chatModel.facts, place) : null;
}

async function choiceFor(
  model: string,
  facts: GgufFacts,
  { config, dataRoot }: Pick<EmbeddedPlace, 'config' | 'dataRoot'>,
): Promise<Choice> {
  const own = config.models[`${embeddedPreset.name}/${model}`];
  const wanted = own?.contextWindow ?? config.maxContextTokens;
  const { contextSize } = await fitHere(facts, { dataRoot, ...(wanted !== undefined && { wanted }) });
  return {
    preset: embeddedPreset,
    model,
    baseUrl: '',
    key: null,
    info: {
      provider: embeddedPreset.name,
      id: model,
      contextWindow: contextSize,
      maxOutputTokens: own?.maxOutputTokens ?? Math.floor(contextSize * OUTPUT_SHARE),
      price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      abilities: { tools: true, images: false, thinking: false },
    },
  };
}

/** What this machine can currently offer a model: on a graphics card that holds it, by the memory of the card. */
export async function fitHere(
  facts: GgufFacts,
  { dataRoot, wanted }: { dataRoot: string; wanted?: number },
): Promise<Fit> {
  const { freeBytes = 0 } = await gpuOf(dataRoot);
  const isGpu = freeBytes > memoryNeeded(facts, 0);
  const room = {
    freeBytes: isGpu ? freeBytes : await availableMemory(),
    cores: availableParallelism(),
    isGpu,
  };
  return fitModel(facts, room, wanted);
}

/** What models run on here, tried if it was not yet; null without a runtime. */
export async function reportGpu(dataRoot: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const runtime = await installedRuntime(dataRoot);
  if (!runtime) return null;
  const probe = await probeGpus(runtime, engineProcess(env));
  return describeProbe(probe, partsFor(thisMachine(env))?.missing ?? []);
}

/** The graphics card that works here, as far as it was tried. */
async function gpuOf(dataRoot: string): Promise<GpuTrial> {
  const runtime = await installedRuntime(dataRoot);
  const probe = runtime ? await readProbe(runtime) : undefined;
  return workingGpu(probe ?? { trials: [] });
}

/**
 * A warning if the model needs more memory than is available; null if it fits. What does not fit on a graphics card is
 * computed beside it.
 */
export async function memoryWarning(
  facts: GgufFacts,
  { contextSize, dataRoot }: { contextSize: number; dataRoot: string },
): Promise<string | null> {
  const { freeBytes = 0 } = await gpuOf(dataRoot);
  const available = (await availableMemory()) + freeBytes;
  const needed = memoryNeeded(facts, contextSize);
  if (needed <= available) return null;
  const name = path.basename(facts.file);
  return `${name} needs ${fileSize(needed)} of memory, but only ${fileSize(available)} are available. It will be very slow, or the system will stop it. Close other programs, or choose a smaller model: aca models list`;
}

/** The provider of an embedded model. Loads nothing before the first request. */
export async function openEmbedded(
  { model, info }: Pick<Choice, 'model' | 'info'>,
  { dataRoot, cwd, config, env, warn }: EmbeddedPlace & { warn?(text: string): void },
): Promise<EmbeddedProvider> {
  const facts = await new ModelStore(dataRoot).facts(model, { cwd, env });
  const runtime = await installedRuntime(dataRoot);
  if (!runtime) {
    throw new UserError(
      'The runtime for embedded models is not installed.',
      'Install it with: aca models setup',
    );
  }
  const [{ createEmbedded }, reading] = await Promise.all([
    import('../../embedded/provider.ts'),
    readingOfReplies(),
  ]);
  const warning = await memoryWarning(facts, { contextSize: info.contextWindow, dataRoot });
  if (warning !== null) warn?.(warning);
  const toolMode = config.providers[embeddedPreset.name]?.toolMode;
  return createEmbedded({
    name: embeddedPreset.name,
    facts,
    fit: { ...(await fitHere(facts, { dataRoot })), contextSize: info.contextWindow },
    runtime,
    reading,
    ...engineProcess(env),
    ...(warn && { notice: warn }),
    stateFolder: path.join(dataRoot, 'cache', 'prompts'),
    ...((toolMode === 'xml' || toolMode === 'fence') && { textMode: toolMode }),
  });
}

/**
 * Embeddings for notes: `wanted` is `auto` or `embedded/NAME`. Null if there is no such model or no runtime.
 */
export async function embeddedEmbedding(
  wanted: string,
  place: EmbeddedPlace,
): Promise<(Pick<EmbeddedProvider, 'embed' | 'close'> & { model: string }) | null> {
  if (!(await installedRuntime(place.dataRoot))) return null;
  const models = await new ModelStore(place.dataRoot).readable();
  const found = models.find(({ name, facts }) =>
    wanted === 'auto' ? facts.isEmbedding : wanted === `${embeddedPreset.name}/${name}`,
  );
  if (!found) return null;
  const choice = await choiceFor(found.name, found.facts, place);
  const { embed, close } = await openEmbedded(choice, place);
  return { model: found.name, embed, close };
}

/** How to start the process of the engine. */
function engineProcess(env: NodeJS.ProcessEnv): EngineProcess {
  return {
    worker:
      typeof ACA_BINARY === 'string'
        ? workerArgument
        : fileURLToPath(new URL(EMBEDDED_WORKER, import.meta.url)),
    env: passedVariables(env),
  };
}

function passedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([name, value]) => value !== undefined && PASSED_VARIABLES.test(name),
  );
  const passed = Object.fromEntries(entries) as Record<string, string>;
  const libraries = process.platform === 'linux' ? cudaFolders(thisMachine(env)) : [];
  if (libraries.length === 0) return passed;
  return { ...passed, LD_LIBRARY_PATH: [passed.LD_LIBRARY_PATH, ...libraries].filter(Boolean).join(':') };
}

/** Replies of embedded models are parsed like those of servers. */
async function readingOfReplies(): Promise<Reading> {
  const [{ withTextTools }, { createThinkSplitter }, { systemWithSummary }] = await Promise.all([
    import('../../providers/text-tools/text-tools.ts'),
    import('../../providers/text-tools/thinking.ts'),
    import('../../providers/summary.ts'),
  ]);
  return {
    withCalls: (provider, mode) =>
      withTextTools(provider, { mode, resultRole: mode === 'native' ? 'tool' : 'user' }),
    splitThinking: createThinkSplitter,
    systemOf: systemWithSummary,
  };
}
