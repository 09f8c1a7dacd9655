/** A recommended model. Sizes are approximate; the exact one is queried before a download. */
export type CuratedModel = {
  name: string;
  repo: string;
  file: string;
  bytes: number;
  license: string;
  /** What it is good for, in a few words. */
  good: string;
  /** It cannot chat. */
  isEmbedding?: true;
};

/** The one that `aca models pull` without a name, and the first start, download. */
export const firstModel: CuratedModel = {
  name: 'qwen3-4b',
  repo: 'Qwen/Qwen3-4B-GGUF',
  file: 'Qwen3-4B-Q4_K_M.gguf',
  bytes: 2.5e9,
  license: 'Apache-2.0',
  good: 'tools and edits with 8 GB of memory (a good start)',
};

/** From small to large. */
export const curatedModels: readonly CuratedModel[] = [
  {
    name: 'qwen3-0.6b',
    repo: 'Qwen/Qwen3-0.6B-GGUF',
    file: 'Qwen3-0.6B-Q8_0.gguf',
    bytes: 639e6,
    license: 'Apache-2.0',
    good: 'trying it out: short questions on any machine',
  },
  {
    name: 'qwen3-1.7b',
    repo: 'Qwen/Qwen3-1.7B-GGUF',
    file: 'Qwen3-1.7B-Q8_0.gguf',
    bytes: 1.83e9,
    license: 'Apache-2.0',
    good: 'small edits with 4 GB of memory',
  },
  firstModel,
  {
    name: 'gemma3-4b',
    repo: 'ggml-org/gemma-3-4b-it-GGUF',
    file: 'gemma-3-4b-it-Q4_K_M.gguf',
    bytes: 2.49e9,
    license: 'Gemma terms of use',
    good: 'explaining code in many languages with 8 GB of memory',
  },
  {
    name: 'qwen2.5-coder-7b',
    repo: 'Qwen/Qwen2.5-Coder-7B-Instruct-GGUF',
    file: 'qwen2.5-coder-7b-instruct-q4_k_m.gguf',
    bytes: 4.68e9,
    license: 'Apache-2.0',
    good: 'writing code with 12 GB of memory',
  },
  {
    name: 'qwen3-8b',
    repo: 'Qwen/Qwen3-8B-GGUF',
    file: 'Qwen3-8B-Q4_K_M.gguf',
    bytes: 5.03e9,
    license: 'Apache-2.0',
    good: 'longer tasks with 12 GB of memory or a graphics card',
  },
  {
    name: 'nomic-embed',
    repo: 'nomic-ai/nomic-embed-text-v1.5-GGUF',
    file: 'nomic-embed-text-v1.5.Q8_0.gguf',
    bytes: 146e6,
    license: 'Apache-2.0',
    good: 'semantic search in notes (embedding model, no chat)',
    isEmbedding: true,
  },
];
