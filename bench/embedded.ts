import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CompletionRequest } from '../src/contract/provider.ts';
import type { LlamaModule } from '../src/embedded/llama-types.ts';
import type { Fit } from '../src/embedded/models/fit.ts';
import type { Generated } from '../src/embedded/protocol.ts';
import type { Gpu } from '../src/embedded/runtime/platform.ts';
import { probeGpus, workingGpu } from '../src/embedded/runtime/probe.ts';
import { type InstalledRuntime, installedRuntime } from '../src/embedded/runtime/runtime-folder.ts';
import { buildWorker, runtimeHome, tinyProvider } from '../test/support/embedded.ts';

type EmbeddedRow = { what: string; ms: number; baseline?: { what: string; ms: number }; target?: string };

const TOKENS = 200;
const ROUNDS = 5;
/** Repeats two words forever; large enough that inference, not communication, dominates. */
const CHAINS = [['Ċ', 'Hello', 'Ġworld', 'Hello']];
const SENTENCE = 'You are a coding assistant. You read files, you change files, you run the tests. ';
const SIZES = {
  cpu: { model: { chains: CHAINS, width: 512, layers: 4, context: 8192 }, batchSize: 512, sentences: 12 },
  gpu: {
    model: { chains: CHAINS, width: 1024, layers: 16, context: 16_384 },
    batchSize: 2048,
    sentences: 150,
  },
} as const;

type Reply = { firstMs: number; msPerToken: number };

/**
 * Compares the embedded model with the bare library, with the same file, prompt length and thread count: the
 * cost and savings of the thread, the template, parsing the reply and the prompt cache. No rows if the
 * runtime is not installed.
 */
export async function embeddedRows(home = runtimeHome, builtWorker?: string): Promise<EmbeddedRow[]> {
  const runtime = await installedRuntime(home);
  if (!runtime) {
    console.log(`embedded: no runtime in ${home}; the journeys install it`);
    return [];
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-bench-embedded-'));
  const worker = builtWorker ?? (await buildWorker());
  const { PATH = '', HOME = '', LD_LIBRARY_PATH } = process.env;
  const env = { PATH, HOME, ...(LD_LIBRARY_PATH && { LD_LIBRARY_PATH }) };
  const { gpu } = workingGpu(await probeGpus(runtime, { worker, env }));
  const { model, batchSize, sentences } = SIZES[gpu === 'none' ? 'cpu' : 'gpu'];
  const fit = { contextSize: model.context, batchSize, threads: 1 };
  const system = SENTENCE.repeat(sentences);
  const what = gpu === 'none' ? 'embedded' : `embedded, ${gpu}`;
  const generated: Generated[] = [];
  try {
    const options = {
      ...{ runtime, worker, env, fit },
      stateFolder: path.join(folder, 'states'),
      onGenerated: (one: Generated) => generated.push(one),
    };
    const file = path.join(folder, 'model.gguf');
    const provider = await tinyProvider(file, model, options);
    const ask = async (prompt: string, instructions: string = system): Promise<Reply> =>
      timedReply(provider.stream(request(prompt, instructions), new AbortController().signal));

    await ask('warm up');
    const cold = await rounds((round) => ask('one', `${round} ${system}`));
    const { promptTokens = 0 } = generated.at(-1) ?? {};
    const second = await rounds((round) => ask(`another prompt, number ${round}`));
    const warmFile = await rounds(async (round) => {
      await ask('something else', `other ${round}`);
      return ask(`and again ${round}`);
    });
    const { fromDisk = 0 } = generated.at(-1) ?? {};
    await provider.close();
    const bare = await bareLibrary({ runtime, gpu, file, fit, text: `${system}${system}` }, promptTokens);

    const read = `a prompt of ${promptTokens} tokens`;
    return [
      {
        what: `${what}: ${read} to the first token, its state kept on the disk`,
        ms: cold.firstMs,
        baseline: { what: 'bare library', ms: bare.firstMs },
      },
      {
        what: `${what}: a token`,
        ms: cold.msPerToken,
        baseline: { what: 'bare library', ms: bare.msPerToken },
        target: 'within 1.1 of bare',
      },
      {
        what: `${what}: a second prompt to the first token, the rest known`,
        ms: second.firstMs,
        baseline: { what: 'read anew', ms: cold.firstMs },
      },
      {
        what: `${what}: the same, ${fromDisk} tokens taken from the disk`,
        ms: warmFile.firstMs,
        baseline: { what: 'read anew', ms: cold.firstMs },
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
    if (builtWorker === undefined) await rm(worker, { force: true });
  }
}

function request(text: string, system: string): CompletionRequest {
  const user = { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp: '' };
  return { model: 'tiny', system, messages: [user], maxTokens: TOKENS, temperature: 0 };
}

async function timedReply(events: AsyncIterable<{ type: string }>): Promise<Reply> {
  const started = performance.now();
  let first = 0;
  for await (const { type } of events) if (first === 0 && type === 'text') first = performance.now();
  return { firstMs: first - started, msPerToken: (performance.now() - first) / (TOKENS - 1) };
}

type Bare = { runtime: InstalledRuntime; gpu: Gpu; file: string; fit: Fit; text: string };

async function bareLibrary({ runtime, gpu, file, fit, text }: Bare, promptTokens: number): Promise<Reply> {
  const url = pathToFileURL(path.join(runtime.folder, 'node_modules/node-llama-cpp/dist/index.js')).href;
  const lib = (await import(url)) as LlamaModule;
  const llama = await lib.getLlama({
    gpu: gpu === 'none' ? false : gpu,
    build: 'never',
    skipDownload: true,
    maxThreads: 1,
    logLevel: 'error',
    logger: () => undefined,
    progressLogs: false,
  });
  const model = await llama.loadModel({
    modelPath: file,
    gpuLayers: gpu === 'none' ? 0 : { fitContext: { contextSize: fit.contextSize } },
    ignoreMemorySafetyChecks: true,
  });
  const context = await model.createContext({
    ...fit,
    ignoreMemorySafetyChecks: true,
  });
  const sequence = context.getSequence();
  const prompt = model.tokenize(text, false).slice(0, promptTokens - 1);
  const newline = model.tokenize('\n', false);
  const sampling = {
    temperature: 0,
    topK: 40,
    topP: 0.95,
    minP: 0.05,
    grammarEvaluationState: () => undefined,
  };
  const once = async (): Promise<Reply> => {
    await sequence.clearHistory();
    const started = performance.now();
    let first = 0;
    let count = 0;
    for await (const token of sequence.evaluate([...prompt, ...newline], sampling)) {
      model.detokenize([token], false);
      if (count++ === 0) first = performance.now();
      if (count >= TOKENS) break;
    }
    return { firstMs: first - started, msPerToken: (performance.now() - first) / (TOKENS - 1) };
  };
  await once();
  const reply = await rounds(once);
  await llama.dispose();
  return reply;
}

async function rounds(work: (round: number) => Promise<Reply>): Promise<Reply> {
  const replies: Reply[] = [];
  for (let round = 0; round < ROUNDS; round++) replies.push(await work(round));
  const median = (pick: (reply: Reply) => number) =>
    replies.map(pick).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  return { firstMs: median((reply) => reply.firstMs), msPerToken: median((reply) => reply.msPerToken) };
}
