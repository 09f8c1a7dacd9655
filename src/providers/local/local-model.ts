/** A server's details of one of its models; fields it does not report are absent. */
export type LocalModel = {
  name: string;
  sizeBytes?: number;
  /** Such as `8.2B`. */
  parameters?: string;
  quantization?: string;
  /** The window it runs with now, or else the one it was trained for. */
  contextWindow?: number;
  abilities?: { tools?: boolean; images?: boolean; thinking?: boolean };
  /** Changes if another model gets this name. */
  digest?: string;
  /** Currently in memory. */
  loaded?: boolean;
};

/** The server software: servers with the same protocol report model details in different places. */
export type ServerKind = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'openai';
