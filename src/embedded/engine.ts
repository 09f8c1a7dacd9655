import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHATML } from './chatml.ts';
import { generate } from './generate.ts';
import type {
  JinjaModule,
  Llama,
  LlamaContext,
  LlamaModel,
  LlamaModule,
  LlamaSequence,
} from './llama-types.ts';
import type { Dialogue, GenerateOrder, LoadOrder, Orders } from './protocol.ts';

/** The template rejects the conversation; another format may be accepted. */
export class TemplateError extends Error {}

type Loaded = {
  lib: LlamaModule;
  llama: Llama;
  model: LlamaModel;
  template: InstanceType<JinjaModule['Template']>;
  order: LoadOrder;
  /** Created on the first chat request: embeddings do not need it. */
  talk?: { context: LlamaContext; sequence: LlamaSequence };
};

export type Engine = {
  /** `progress` gets the loaded share, from 0 to 1. */
  load(order: LoadOrder, progress: (share: number) => void): Promise<Orders['load']['answer']>;
  render(order: Dialogue): string;
  respell(text: string): Orders['respell']['answer'];
  count(text: string): number;
  generate(
    order: GenerateOrder,
    watch: { text(text: string): void; isAborted(): boolean },
  ): Promise<Orders['generate']['answer']>;
  embed(texts: readonly string[]): Promise<number[][]>;
};

/** llama.cpp with one model. Runs in its own process and knows nothing about messages or tools. */
export function createEngine(): Engine {
  let loaded: Loaded | undefined;

  function current(): Loaded {
    if (!loaded) throw new Error('No model is loaded.');
    return loaded;
  }

  return {
    async load(order, progress) {
      const lib = await importFrom<LlamaModule>(order.runtime, 'node-llama-cpp/dist/index.js');
      const jinja = await importFrom<JinjaModule>(order.runtime, '@huggingface/jinja/dist/index.js');
      const llama = await openLlama(lib, order);
      const model = await llama.loadModel({
        modelPath: order.model,
        gpuLayers: llama.gpu === false ? 0 : { fitContext: { contextSize: order.fit.contextSize } },
        onLoadProgress: progress,
        ...trusting(llama),
      });
      loaded = { lib, llama, model, order, template: new jinja.Template(order.template ?? CHATML) };
      return {
        gpu: llama.gpu === false ? 'none' : llama.gpu,
        gpuLayers: model.gpuLayers,
        layers: model.fileInsights.totalLayers,
        contextSize: order.fit.contextSize,
        ...(await deviceOf(llama)),
      };
    },

    render({ messages, tools }) {
      const { template, model } = current();
      try {
        return template.render({
          messages,
          // Not every template treats an empty list as no tools.
          ...(tools.length > 0 && { tools }),
          add_generation_prompt: true,
          bos_token: model.tokens.bosString ?? '',
          eos_token: model.tokens.eosString ?? '',
        });
      } catch (error) {
        throw new TemplateError((error as Error).message, { cause: error });
      }
    },

    respell(text) {
      const { model } = current();
      const tokens = model.tokenize(text, true);
      return { hidden: model.detokenize(tokens, false), shown: model.detokenize(tokens, true) };
    },

    count: (text) => current().model.tokenize(text, true).length,

    async generate(order, watch) {
      const { lib, llama, model, order: how, ...rest } = current();
      const talk = rest.talk ?? (await openTalk({ llama, model }, how));
      if (loaded) loaded.talk = talk;
      return generate(
        {
          ...{ lib, llama, model, sequence: talk.sequence },
          ...{ contextSize: talk.context.contextSize, batchSize: how.fit.batchSize },
        },
        order,
        watch,
      );
    },

    async embed(texts) {
      const { llama, model, order } = current();
      const context = await model.createEmbeddingContext({
        contextSize: order.fit.contextSize,
        threads: order.fit.threads,
        ...trusting(llama),
      });
      try {
        const vectors: number[][] = [];
        for (const text of texts) {
          const tokens = model.tokenize(text, false).slice(0, order.fit.contextSize - 2);
          vectors.push([...(await context.getEmbeddingFor(tokens)).vector]);
        }
        return vectors;
      } finally {
        await context.dispose();
      }
    },
  };
}

/** On a CPU the size was chosen by free memory; on a GPU the library knows better what fits. */
function trusting({ gpu }: Llama): { ignoreMemorySafetyChecks: boolean } {
  return { ignoreMemorySafetyChecks: gpu === false };
}

async function openTalk({ llama, model }: Pick<Loaded, 'llama' | 'model'>, { fit }: LoadOrder) {
  const context = await model.createContext({ ...fit, ...trusting(llama) });
  return { context, sequence: context.getSequence() };
}

async function openLlama(lib: LlamaModule, { gpu, fit }: LoadOrder): Promise<Llama> {
  const llama = await lib.getLlama({
    gpu: gpu === 'none' ? false : gpu,
    build: 'never',
    skipDownload: true,
    maxThreads: fit.threads,
    logLevel: 'error',
    // llama.cpp's errors are thrown by the call they concern.
    logger: () => undefined,
    progressLogs: false,
  });
  if (gpu !== 'none' && llama.gpu !== gpu) throw new Error('it finds no graphics card');
  return llama;
}

async function deviceOf(llama: Llama): Promise<{ device?: string; freeBytes?: number }> {
  if (llama.gpu === false) return {};
  const [device] = await llama.getGpuDeviceNames();
  const { free } = await llama.getVramState();
  return { ...(device !== undefined && { device }), freeBytes: free };
}

async function importFrom<T>(runtime: string, file: string): Promise<T> {
  const url = pathToFileURL(path.join(runtime, 'node_modules', file)).href;
  // Pinned by version and checksum, so it matches the types.
  return (await import(url)) as T;
}
