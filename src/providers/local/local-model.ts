/** What a server tells of one of its models; what it does not tell is absent. */
export type LocalModel = {
  name: string;
  sizeBytes?: number;
  /** Such as `8.2B`. */
  parameters?: string;
  quantization?: string;
  /** What it takes at once as it runs now, or else what it was trained for. */
  contextWindow?: number;
  abilities?: { tools?: boolean; images?: boolean; thinking?: boolean };
  /** Changes when another model stands behind the name. */
  digest?: string;
  /** In memory now. */
  loaded?: boolean;
};

/** What speaks there: servers of one protocol tell of their models in different places. */
export type ServerKind = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'openai';
