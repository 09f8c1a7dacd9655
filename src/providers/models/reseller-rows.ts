import { ALL, type Facts, LOW_HIGH_MAX, LOW_TO_HIGH, type ModelTable, SEES, TEXT, THINKS } from './facts.ts';
import { vendors } from './vendor-rows.ts';

const hosts: ModelTable['models'] = {
  groq: {
    'openai/gpt-oss-120b': {
      window: 131_072,
      output: 65_536,
      can: THINKS,
      usd: [0.15, 0.6, 0.075],
      effort: LOW_TO_HIGH,
    },
    'openai/gpt-oss-20b': { window: 131_072, output: 65_536, can: THINKS, usd: [0.075, 0.3, 0.0375] },
    'qwen/qwen3.8-27b': { window: 131_072, output: 16_384, can: ALL, usd: [0.8, 4] },
    'llama-3.3-70b-versatile': { window: 131_072, output: 32_768, can: TEXT, usd: [0.59, 0.79] },
    'llama-3.1-8b-instant': { window: 131_072, output: 131_072, can: TEXT, usd: [0.05, 0.08] },
  },
  cerebras: {
    'gpt-oss-120b': { window: 131_072, output: 40_960, can: THINKS, usd: [0.35, 0.75] },
    'qwen-3.8-27b': { window: 131_072, output: 40_960, can: ALL, usd: [0.99, 1.49] },
  },
  together: {
    'moonshotai/Kimi-K3': {
      window: 1_048_576,
      output: 131_072,
      can: ALL,
      usd: [3, 15, 0.3],
      effort: LOW_HIGH_MAX,
    },
    'deepseek-ai/DeepSeek-V4-Pro-0813': {
      window: 1_048_576,
      output: 384_000,
      can: THINKS,
      usd: [1.32, 3.96, 0.13],
    },
    'zai-org/GLM-5.3': {
      window: 1_048_575,
      output: 262_144,
      can: THINKS,
      usd: [1.4, 4.4, 0.26],
      effort: LOW_HIGH_MAX,
    },
    'zai-org/GLM-5.3-Flash': {
      window: 1_048_575,
      output: 131_072,
      can: ALL,
      usd: [0.15, 0.5, 0.03],
      effort: LOW_HIGH_MAX,
    },
    'openai/gpt-oss-120b': { window: 131_072, output: 65_536, can: THINKS, usd: [0.15, 0.6] },
  },
  fireworks: {
    'accounts/fireworks/models/kimi-k3': {
      window: 1_048_576,
      output: 131_072,
      can: ALL,
      usd: [3, 15, 0.3],
      effort: LOW_HIGH_MAX,
    },
    'accounts/fireworks/models/glm-5p3': {
      window: 1_048_573,
      output: 262_144,
      can: THINKS,
      usd: [1.4, 4.4, 0.26],
      effort: LOW_HIGH_MAX,
    },
    'accounts/fireworks/models/deepseek-v4p1-flash': {
      window: 1_000_000,
      output: 384_000,
      can: ALL,
      usd: [0.3, 1.2, 0.006],
    },
    'accounts/fireworks/models/gpt-oss-120b': {
      window: 131_072,
      output: 32_768,
      can: THINKS,
      usd: [0.15, 0.6, 0.015],
    },
  },
};

const NOVA = { window: 300_000, output: 10_000, can: SEES };

/** At a vendor's list price; a cloud's regional addresses may cost up to a tenth more. */
function resold(vendor: 'anthropic' | 'google', ids: readonly string[], prefix = ''): Record<string, Facts> {
  return Object.fromEntries(
    Object.entries<Facts>(vendors[vendor])
      .filter(([id]) => ids.includes(id))
      .map(([id, facts]) => [`${prefix}${id}`, facts]),
  );
}

const CLAUDES = [
  'claude-fable-5-2',
  'claude-fable-5-1',
  'claude-opus-5-5',
  'claude-opus-4-8',
  'claude-sonnet-5-5',
  'claude-sonnet-5',
  'claude-haiku-5-5',
];
const GEMINIS = ['gemini-4-argon', 'gemini-3.8-flash', 'gemini-3.1-pro-preview', 'gemini-2.5-pro'];

/** The models of hosts and clouds that sell what others make. */
export const resellers: ModelTable['models'] = {
  ...hosts,
  bedrock: {
    ...resold('anthropic', CLAUDES, 'global.anthropic.'),
    'us.amazon.nova-premier-v1:0': { ...NOVA, window: 1_000_000, usd: [2.5, 12.5, 0.625] },
    'us.amazon.nova-pro-v1:0': { ...NOVA, usd: [0.8, 3.2, 0.2] },
    'us.amazon.nova-lite-v1:0': { ...NOVA, usd: [0.06, 0.24, 0.015] },
    'openai.gpt-oss-120b-1:0': { window: 131_072, output: 65_536, can: THINKS, usd: [0.15, 0.6] },
  },
  vertex: { ...resold('anthropic', CLAUDES), ...resold('google', GEMINIS) },
};
