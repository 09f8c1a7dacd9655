import type { EffortLevels } from '../contract/request/effort.ts';
import type { ChatQuirks } from './openai/chat-wire.ts';
import { ANTHROPIC_TIERS, GEMINI_TIERS, MINIMAX_TIERS, OPENAI_TIERS, type Tiers } from './tiers.ts';

export type Protocol =
  | 'anthropic'
  | 'openai-responses'
  | 'openai-chat'
  | 'google'
  | 'ollama'
  | 'bedrock-converse';

export type CloudName = 'aws' | 'google' | 'azure';

/** A vendor or kind of local server: everything that differs between users of one protocol. */
export type Preset = {
  /** The part before the slash in `provider/model`. */
  name: string;
  label: string;
  /** The name inside a sentence, if it differs from the label. */
  inText?: string;
  /** `embedded` runs in this process, without a wire protocol. */
  protocol: Protocol | 'embedded';
  /** Empty if only the user can know it. */
  baseUrl: string;
  /** Environment variables that may hold a key; the first one set wins. */
  keyEnv: readonly string[];
  /** Environment variables that may hold a base URL, besides those named like the key variables. */
  baseUrlEnv?: readonly string[];
  /** Where to get a key. */
  keyUrl?: string;
  /**
   * A cloud that serves models of several vendors. Without a key, its own credentials are used; the protocol
   * may depend on the model.
   */
  cloud?: CloudName;
  /** Runs on the user's own machine and needs no key. */
  local?: true;
  /**
   * Used when the user names a provider without a model. Local servers are queried for their models instead.
   */
  defaultModel?: string;
  /**
   * Tried in turn if the vendor does not offer the default model to the user's account. Gateways may have one
   * that the vendor has retired; the last one is current.
   */
  olderModels?: readonly string[];
  quirks?: ChatQuirks;
  /** What thinking models take whose own levels are unknown. */
  effort?: EffortLevels;
  /** Models of a Chat Completions API that call functions only over the Responses API beside it. */
  responsesOnly?: RegExp;
  /** The provider whose model table rows apply, if not its own. */
  tableOf?: string;
  tiers?: Tiers;
  /** The vendor's own web search: the models that have it, and dollars per search besides the tokens. */
  webSearch?: { models: RegExp; usd: number };
  /** Models whose vendor summarizes a conversation in its own form, which keeps their reasoning. */
  summarizes?: RegExp;
};

/** From 5.4 on, models take functions over Chat Completions without thinking, or not at all. */
const RESPONSES_ONLY = /(^|\/)gpt-(5\.[4-9]|[6-9])(?!\d)/;

/** On a user's own server, a model's thinking can be turned off in its template. */
const LOCAL_EFFORT: EffortLevels = { levels: ['none', 'low', 'medium', 'high'] };

/** On local servers, the output format depends on the model's template. */
const LOCAL: ChatQuirks = { think: 'unknown', thoughtsBackAs: 'both' };

export const presets = [
  {
    name: 'anthropic',
    label: 'Anthropic',
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyEnv: ['ANTHROPIC_API_KEY'],
    keyUrl: 'https://console.anthropic.com/settings/keys',
    defaultModel: 'claude-sonnet-5-5',
    olderModels: ['claude-sonnet-4-20250514', 'claude-sonnet-4-6'],
    tiers: ANTHROPIC_TIERS,
    webSearch: { models: /^claude-(?!2|instant|3-(opus|sonnet|haiku))/, usd: 0.01 },
    summarizes: /^claude-(?:(?:opus|sonnet)-(?:4-[6-9]|[5-9])|fable|mythos)(?!\d)/,
  },
  {
    name: 'openai',
    label: 'OpenAI',
    protocol: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: ['OPENAI_API_KEY'],
    keyUrl: 'https://platform.openai.com/api-keys',
    defaultModel: 'gpt-6.1-sol',
    olderModels: ['gpt-4-turbo', 'gpt-4.1'],
    tiers: OPENAI_TIERS,
    webSearch: { models: /^(gpt-4o|gpt-4\.1(?!-nano)|gpt-[5-9]|o[34])/, usd: 0.01 },
    summarizes: /^gpt-[5-9]/,
  },
  {
    name: 'openai-chat',
    label: 'OpenAI (Chat Completions)',
    inText: 'OpenAI',
    protocol: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: ['OPENAI_API_KEY'],
    keyUrl: 'https://platform.openai.com/api-keys',
    defaultModel: 'gpt-6.1-sol',
    olderModels: ['gpt-4-turbo', 'gpt-4.1'],
    quirks: {
      maxCompletionTokens: true,
      promptCacheKey: true,
      noTemperatureWhenThinking: true,
      secondSystemMessage: true,
    },
    responsesOnly: RESPONSES_ONLY,
    tiers: OPENAI_TIERS,
    tableOf: 'openai',
  },
  {
    name: 'google',
    label: 'Google Gemini',
    protocol: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com',
    keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrlEnv: ['GOOGLE_GEMINI_BASE_URL'],
    keyUrl: 'https://aistudio.google.com/apikey',
    defaultModel: 'gemini-4-argon',
    olderModels: ['gemini-3.1-pro-preview'],
    tiers: GEMINI_TIERS,
    // Before 3, the price is per prompt, and higher.
    webSearch: { models: /^gemini-(?!1\.)/, usd: 0.014 },
  },
  {
    name: 'deepseek',
    label: 'DeepSeek',
    protocol: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    keyEnv: ['DEEPSEEK_API_KEY'],
    keyUrl: 'https://platform.deepseek.com/api_keys',
    defaultModel: 'deepseek-v4-pro',
    quirks: { thoughtsBackAs: 'reasoning_content', thoughtsRequired: 'all', effortAs: 'thinking' },
  },
  {
    name: 'groq',
    label: 'Groq',
    protocol: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyEnv: ['GROQ_API_KEY'],
    keyUrl: 'https://console.groq.com/keys',
    defaultModel: 'openai/gpt-oss-120b',
    quirks: { maxCompletionTokens: true, thoughtsBackAs: 'reasoning' },
  },
  {
    name: 'openrouter',
    label: 'OpenRouter',
    protocol: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: ['OPENROUTER_API_KEY'],
    keyUrl: 'https://openrouter.ai/keys',
    defaultModel: 'anthropic/claude-sonnet-5.5',
    // Its other models cache automatically, or not at all.
    quirks: {
      thoughtsBackAs: 'reasoning_details',
      effortAs: 'reasoning',
      cacheControlFor: /^~?(anthropic|google|qwen)\//,
    },
  },
  {
    name: 'moonshot',
    label: 'Moonshot Kimi',
    protocol: 'openai-chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyEnv: ['MOONSHOT_API_KEY'],
    keyUrl: 'https://platform.moonshot.ai/console/api-keys',
    defaultModel: 'kimi-k3.1-pro',
    quirks: {
      thoughtsBackAs: 'reasoning_content',
      thoughtsRequired: 'calls',
      effortAs: 'thinking',
      promptCacheKey: true,
      maxCompletionTokens: true,
      noTemperatureWhenThinking: true,
    },
  },
  {
    name: 'mistral',
    label: 'Mistral',
    protocol: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    keyEnv: ['MISTRAL_API_KEY'],
    keyUrl: 'https://console.mistral.ai/api-keys',
    defaultModel: 'mistral-large-4',
    quirks: {
      noStreamOptions: true,
      promptCacheKey: true,
      nineCharacterIds: true,
      assistantAfterTool: true,
      thoughtsBackAs: 'chunks',
    },
  },
  {
    name: 'xai',
    label: 'xAI',
    // Its Chat Completions API has no field for encrypted thinking.
    protocol: 'openai-responses',
    baseUrl: 'https://api.x.ai/v1',
    keyEnv: ['XAI_API_KEY'],
    keyUrl: 'https://console.x.ai',
    defaultModel: 'grok-4.7',
  },
  {
    name: 'zai',
    label: 'Z.ai',
    protocol: 'openai-chat',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyEnv: ['ZAI_API_KEY'],
    keyUrl: 'https://z.ai/manage-apikey/apikey-list',
    defaultModel: 'glm-5.3',
    quirks: { thoughtsBackAs: 'reasoning_content', effortAs: 'thinking', preservesThinking: true },
  },
  {
    name: 'minimax',
    label: 'MiniMax',
    // The vendor recommends it for tools: thinking goes back as it came.
    protocol: 'anthropic',
    baseUrl: 'https://api.minimax.io/anthropic',
    keyEnv: ['MINIMAX_API_KEY'],
    keyUrl: 'https://platform.minimax.io/user-center/basic-information/interface-key',
    defaultModel: 'MiniMax-M3',
    tiers: MINIMAX_TIERS,
  },
  {
    name: 'qwen',
    label: 'Alibaba Model Studio',
    protocol: 'openai-chat',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyEnv: ['DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
    keyUrl: 'https://modelstudio.console.alibabacloud.com',
    defaultModel: 'qwen3.8-max',
    quirks: { thoughtsBackAs: 'reasoning_content' },
  },
  {
    name: 'meta',
    label: 'Meta',
    // The vendor recommends it for tools: thinking goes back encrypted.
    protocol: 'openai-responses',
    baseUrl: 'https://api.meta.ai/v1',
    keyEnv: ['META_API_KEY', 'MODEL_API_KEY'],
    keyUrl: 'https://dev.meta.ai/docs/quickstart',
    defaultModel: 'muse-spark-1.3',
  },
  {
    name: 'together',
    label: 'Together AI',
    protocol: 'openai-chat',
    baseUrl: 'https://api.together.xyz/v1',
    keyEnv: ['TOGETHER_API_KEY'],
    keyUrl: 'https://api.together.ai/settings/api-keys',
    defaultModel: 'openai/gpt-oss-120b',
    quirks: { thoughtsBackAs: 'both' },
  },
  {
    name: 'fireworks',
    label: 'Fireworks AI',
    protocol: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyEnv: ['FIREWORKS_API_KEY'],
    keyUrl: 'https://app.fireworks.ai/settings/users/api-keys',
    defaultModel: 'accounts/fireworks/models/gpt-oss-120b',
    quirks: { promptCacheKey: true, thoughtsBackAs: 'reasoning_content' },
  },
  {
    name: 'cerebras',
    label: 'Cerebras',
    protocol: 'openai-chat',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyEnv: ['CEREBRAS_API_KEY'],
    keyUrl: 'https://cloud.cerebras.ai',
    defaultModel: 'gpt-oss-120b',
    quirks: { maxCompletionTokens: true },
  },
  {
    name: 'bedrock',
    label: 'Amazon Bedrock',
    protocol: 'anthropic',
    cloud: 'aws',
    baseUrl: '',
    keyEnv: ['AWS_BEARER_TOKEN_BEDROCK'],
    baseUrlEnv: ['ANTHROPIC_BEDROCK_BASE_URL', 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME'],
    keyUrl: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    defaultModel: 'global.anthropic.claude-sonnet-5-5',
  },
  {
    name: 'vertex',
    label: 'Google Vertex AI',
    protocol: 'google',
    cloud: 'google',
    baseUrl: '',
    keyEnv: [],
    baseUrlEnv: ['ANTHROPIC_VERTEX_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'],
    defaultModel: 'gemini-4-argon',
  },
  {
    name: 'azure',
    label: 'Azure OpenAI',
    protocol: 'openai-chat',
    cloud: 'azure',
    baseUrl: '',
    keyEnv: ['AZURE_OPENAI_API_KEY'],
    baseUrlEnv: ['AZURE_OPENAI_ENDPOINT'],
    quirks: {
      maxCompletionTokens: true,
      promptCacheKey: true,
      noTemperatureWhenThinking: true,
      secondSystemMessage: true,
    },
    responsesOnly: RESPONSES_ONLY,
    tiers: OPENAI_TIERS,
    tableOf: 'openai',
  },
  {
    name: 'ollama',
    label: 'Ollama',
    protocol: 'ollama',
    baseUrl: 'http://127.0.0.1:11434',
    keyEnv: ['OLLAMA_API_KEY'],
    baseUrlEnv: ['OLLAMA_HOST'],
    local: true,
    effort: LOCAL_EFFORT,
  },
  {
    name: 'lmstudio',
    label: 'LM Studio',
    protocol: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyEnv: ['LMSTUDIO_API_KEY'],
    local: true,
    quirks: LOCAL,
  },
  {
    name: 'llamacpp',
    label: 'llama.cpp server',
    inText: 'the llama.cpp server',
    protocol: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8080/v1',
    keyEnv: ['LLAMA_API_KEY'],
    local: true,
    quirks: { ...LOCAL, thoughtsBackAs: 'reasoning_content', effortAs: 'template' },
    effort: LOCAL_EFFORT,
  },
  {
    name: 'vllm',
    label: 'vLLM',
    protocol: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyEnv: ['VLLM_API_KEY'],
    local: true,
    quirks: { ...LOCAL, effortAs: 'template' },
    effort: LOCAL_EFFORT,
  },
  {
    name: 'local',
    label: 'Any OpenAI-compatible server',
    inText: 'the local server',
    protocol: 'openai-chat',
    baseUrl: '',
    keyEnv: ['LOCAL_API_KEY'],
    local: true,
    quirks: LOCAL,
  },
] as const satisfies readonly Preset[];

/**
 * A gateway is set by its address and a key: whoever sets `DASHSCOPE_API_KEY` can set `DASHSCOPE_BASE_URL`. The name of a
 * preset works as well: `QWEN_BASE_URL`.
 */
export function baseUrlVariables({
  name,
  baseUrlEnv = [],
  keyEnv,
}: Pick<Preset, 'name' | 'baseUrlEnv' | 'keyEnv'>): string[] {
  const likeKeys = keyEnv
    .filter((name) => name.endsWith('_API_KEY'))
    .map((name) => name.replace(/_API_KEY$/, '_BASE_URL'));
  const likeName = `${name.toUpperCase().replaceAll('-', '_')}_BASE_URL`;
  return [...new Set([...baseUrlEnv, likeName, ...likeKeys])];
}

export function findPreset(name: string): Preset | undefined {
  return presets.find((preset) => preset.name === name);
}
