import { mkdtempSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type InstalledRuntime, RUNTIME_MARK } from '../../src/embedded/runtime/runtime-folder.ts';

/** How the library behaves on a GPU; on the CPU it always works. */
export type PlayedGpu =
  | 'works'
  /** Ends its process at the first computation, as CUDA does with a driver that is too old. */
  | 'aborts'
  /** Computes the probe, and aborts with any other model. */
  | 'aborts later'
  | 'has no library'
  /** Loads nothing but the probe. */
  | 'has too little memory';

/**
 * A runtime whose library computes nothing: it answers `On GPU.` from the GPU it was loaded on. `older`: how CUDA behaves
 * without the library for the newer version.
 */
export async function playedRuntime(
  gpus: Partial<Record<'cuda' | 'vulkan', PlayedGpu>>,
  older?: PlayedGpu,
): Promise<InstalledRuntime> {
  const folder = mkdtempSync(path.join(tmpdir(), 'aca-runtime-'));
  const modules = path.join(folder, 'node_modules');
  const put = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(modules, file)), { recursive: true });
    await writeFile(path.join(modules, file), text);
  };
  const newer = '@node-llama-cpp/linux-x64-cuda/bins/linux-x64-cuda/libggml-cuda.so';
  await put(newer, '');
  await put('@huggingface/jinja/dist/index.js', JINJA);
  await put(
    'node-llama-cpp/dist/index.js',
    `const gpus = ${JSON.stringify(gpus)}, older = ${JSON.stringify(older)};
const newer = ${JSON.stringify(path.join(modules, newer))};
${LIBRARY}`,
  );
  for (const file of ['node-llama-cpp', '@huggingface/jinja'])
    await put(`${file}/package.json`, '{"type":"module"}');
  const packages = [
    'linux-x64',
    ...(gpus.cuda ? ['linux-x64-cuda'] : []),
    ...(older ? ['linux-x64-cuda-ext'] : []),
    ...(gpus.vulkan ? ['linux-x64-vulkan'] : []),
  ];
  await writeFile(path.join(folder, RUNTIME_MARK), JSON.stringify({ packages }));
  return { folder, packages };
}

const JINJA = `export class Template {
  render({ messages }) { return messages.map(({ content }) => content).join(' '); }
}`;

const LIBRARY = `import { existsSync } from 'node:fs';
export async function getLlama({ gpu }) {
  const how = gpu === false ? 'works' : gpu === 'cuda' && !existsSync(newer) ? older : gpus[gpu];
  if (how === 'has no library' || how === undefined) throw new Error('NoBinaryFoundError');
  return {
    gpu,
    getGpuDeviceNames: async () => ['Played Card'],
    getVramState: async () => ({ total: 8e9, used: 0, free: 8e9 }),
    async loadModel({ modelPath }) {
      const isProbe = modelPath.endsWith('probe.gguf');
      if (how === 'has too little memory' && !isProbe) throw new Error('Out of memory');
      const reply = gpu === false ? 'On the CPU.' : 'On ' + gpu + '.';
      return {
        gpuLayers: gpu === false ? 0 : 3,
        fileInsights: { totalLayers: 3 },
        tokens: { bos: null, bosString: null, eosString: null, shouldPrependBosToken: false },
        tokenize: (text) => [...text].map((letter) => letter.codePointAt(0)),
        detokenize: (tokens) => String.fromCodePoint(...tokens),
        async createContext({ contextSize }) {
          const sequence = {
            nextTokenIndex: 0,
            contextTokens: [],
            adaptStateToTokens: async () => undefined,
            evaluateWithoutGeneratingNewTokens: async (tokens) => { sequence.nextTokenIndex += tokens.length; },
            async *evaluate() {
              if (how === 'aborts' || (how === 'aborts later' && !isProbe)) process.abort();
              yield* [...reply].map((letter) => letter.codePointAt(0));
            },
          };
          return { contextSize, getSequence: () => sequence };
        },
      };
    },
  };
}
export class LlamaGrammarEvaluationState {}
`;
