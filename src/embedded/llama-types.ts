/**
 * The subset of node-llama-cpp used here, and of the template library. Both are loaded from the data root, so
 * their own types are not available at compile time.
 */

export type Token = number & { readonly token: unique symbol };

export type LlamaModule = {
  getLlama(options: {
    gpu: 'cuda' | 'metal' | 'vulkan' | false;
    build: 'never';
    skipDownload: true;
    maxThreads: number;
    logLevel: 'error';
    logger(level: string, message: string): void;
    progressLogs: false;
  }): Promise<Llama>;
  LlamaGrammarEvaluationState: new (options: { model: LlamaModel; grammar: LlamaGrammar }) => GrammarState;
};

type LlamaGrammar = { readonly grammar: string };
export type GrammarState = { clone(): GrammarState };

export type Llama = {
  readonly gpu: 'cuda' | 'metal' | 'vulkan' | false;
  loadModel(options: {
    modelPath: string;
    gpuLayers: number | { fitContext: { contextSize: number } };
    onLoadProgress?(share: number): void;
    ignoreMemorySafetyChecks: boolean;
  }): Promise<LlamaModel>;
  createGrammar(options: { grammar: string }): Promise<LlamaGrammar>;
  getGpuDeviceNames(): Promise<string[]>;
  getVramState(): Promise<{ total: number; used: number; free: number }>;
  dispose(): Promise<void>;
};

export type LlamaModel = {
  readonly tokens: {
    readonly bos: Token | null;
    readonly bosString: string | null;
    readonly eosString: string | null;
    readonly shouldPrependBosToken: boolean;
  };
  readonly gpuLayers: number;
  readonly fileInsights: { readonly totalLayers: number };
  readonly fileInfo: { readonly metadata: { readonly tokenizer?: { readonly chat_template?: string } } };
  tokenize(text: string, specialTokens: boolean): Token[];
  detokenize(tokens: readonly Token[], specialTokens: boolean, lastTokens?: readonly Token[]): string;
  createContext(options: {
    contextSize: number;
    batchSize: number;
    threads: number;
    ignoreMemorySafetyChecks: boolean;
  }): Promise<LlamaContext>;
  createEmbeddingContext(options: {
    contextSize: number;
    threads: number;
    ignoreMemorySafetyChecks: boolean;
  }): Promise<{
    getEmbeddingFor(text: readonly Token[]): Promise<{ readonly vector: readonly number[] }>;
    dispose(): Promise<void>;
  }>;
  dispose(): Promise<void>;
};

export type LlamaContext = {
  readonly contextSize: number;
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
};

export type LlamaSequence = {
  readonly nextTokenIndex: number;
  readonly contextTokens: readonly Token[];
  clearHistory(): Promise<void>;
  adaptStateToTokens(tokens: readonly Token[], allowShift: false): Promise<void>;
  evaluate(
    tokens: readonly Token[],
    options: {
      temperature: number;
      topK: number;
      topP: number;
      minP: number;
      seed?: number;
      grammarEvaluationState(): GrammarState | undefined;
    },
  ): AsyncGenerator<Token>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void>;
  saveStateToFile(file: string): Promise<{ fileSize: number }>;
  loadStateFromFile(file: string, risk: { acceptRisk: true }): Promise<void>;
};

export type JinjaModule = {
  Template: new (source: string) => { render(values: Record<string, unknown>): string };
};
