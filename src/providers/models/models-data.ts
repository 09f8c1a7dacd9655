import type { ModelTable } from './facts.ts';
import { otherVendors } from './other-vendor-rows.ts';
import { resellers } from './reseller-rows.ts';
import { vendors } from './vendor-rows.ts';

const sources = {
  anthropic: 'https://platform.claude.com/docs/en/about-claude/pricing',
  openai: 'https://platform.openai.com/docs/pricing',
  google: 'https://ai.google.dev/gemini-api/docs/pricing',
  deepseek: 'https://api-docs.deepseek.com/quick_start/pricing',
  moonshot: 'https://platform.moonshot.ai/docs/pricing/chat',
  mistral: 'https://mistral.ai/pricing',
  xai: 'https://docs.x.ai/docs/models',
  zai: 'https://docs.z.ai/guides/overview/pricing',
  minimax: 'https://platform.minimax.io/docs/guides/pricing',
  meta: 'https://dev.meta.ai/docs/models',
  qwen: 'https://www.alibabacloud.com/help/en/model-studio/models',
  groq: 'https://groq.com/pricing',
  cerebras: 'https://www.cerebras.ai/pricing',
  together: 'https://www.together.ai/pricing',
  fireworks: 'https://fireworks.ai/pricing',
  bedrock: 'https://aws.amazon.com/bedrock/pricing/',
  vertex: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
};

const aliases = {
  fable: 'anthropic/claude-fable-5-2',
  opus: 'anthropic/claude-opus-5-5',
  sonnet: 'anthropic/claude-sonnet-5-5',
  claude: 'anthropic/claude-sonnet-5-5',
  haiku: 'anthropic/claude-haiku-5-5',
  gpt: 'openai/gpt-6.1-sol',
  sol: 'openai/gpt-6.1-sol',
  terra: 'openai/gpt-6.1-terra',
  luna: 'openai/gpt-6-luna',
  mini: 'openai/gpt-5.4-mini',
  nano: 'openai/gpt-5.4-nano',
  codex: 'openai/gpt-5.3-codex',
  gemini: 'google/gemini-4-argon',
  flash: 'google/gemini-3.8-flash',
  'flash-lite': 'google/gemini-3.5-flash-lite',
  deepseek: 'deepseek/deepseek-v4-pro',
  kimi: 'moonshot/kimi-k3.1-pro',
  grok: 'xai/grok-4.7',
  glm: 'zai/glm-5.3',
  minimax: 'minimax/MiniMax-M3',
  qwen: 'qwen/qwen3.8-max',
  muse: 'meta/muse-spark-1.3',
  mistral: 'mistral/mistral-large-4',
  'mistral-large-4-0': 'mistral/mistral-large-4',
  devstral: 'mistral/devstral-latest',
  codestral: 'mistral/codestral-latest',
};

/** The table that ships with the program. */
export const builtIn: ModelTable = {
  date: '2026-11-19',
  sources,
  models: { ...vendors, ...otherVendors, ...resellers },
  aliases,
};
