import type { EffortLevels } from '../../contract/request/effort.ts';
import {
  ALL,
  type Facts,
  LOW_HIGH_MAX,
  LOW_TO_HIGH,
  type ModelTable,
  NO_EFFORT,
  type OffPeak,
  SEES,
  TEXT,
  THINKS,
} from './facts.ts';

const KIMI = { window: 1_048_576, output: 131_072, can: ALL };
const KIMI_K2 = { window: 262_144, output: 131_072, can: ALL };
const GLM = { window: 1_000_000, output: 131_072 };
/** docs.z.ai/guides/capabilities/thinking: thinking is on or off. */
const GLM_BEFORE: Facts = {
  window: 200_000,
  output: 128_000,
  can: THINKS,
  usd: null,
  effort: { levels: ['none', 'high'] },
};

/** api-docs.deepseek.com/guides/thinking_mode. */
const DEEPSEEK_EFFORT: EffortLevels = { levels: ['none', 'low', 'high', 'max'], default: 'high' };
/** api-docs.deepseek.com/quick_start/pricing. */
const DEEPSEEK_OFF_PEAK: OffPeak = {
  factor: 0.5,
  peak: [
    [1, 4],
    [6, 10],
  ],
};
const DEEPSEEK_FLASH = {
  window: 1_000_000,
  output: 384_000,
  can: ALL,
  usd: [0.3, 1.2, 0.006],
  offPeak: DEEPSEEK_OFF_PEAK,
  effort: DEEPSEEK_EFFORT,
} as const;

/** docs.mistral.ai/capabilities/reasoning: thinking is on or off. */
const MISTRAL_SWITCH: EffortLevels = { levels: ['none', 'high'] };
/** platform.kimi.ai/docs/guide/use-thinking-effort: the same for older Kimis. */
const KIMI_SWITCH: EffortLevels = { levels: ['none', 'high'], default: 'high' };

const MUSE_SPARK = {
  window: 1_048_576,
  output: 131_072,
  can: ALL,
  usd: [1.25, 4.25, 0.15],
  effort: { levels: ['minimal', 'low', 'medium', 'high', 'xhigh'] },
} as const;

/** docs.x.ai/docs/models. */
const GROK = {
  window: 500_000,
  output: 128_000,
  can: ALL,
  usd: [2, 6, 0.5],
  long: { above: 200_000, usd: [4, 12, 1] },
} as const;

/** The models of the other vendors that make their own. */
export const otherVendors = {
  // api-docs.deepseek.com/quick_start/pricing
  deepseek: {
    'deepseek-v4-pro': {
      window: 1_000_000,
      output: 384_000,
      can: THINKS,
      usd: [1.32, 3.96, 0.044],
      offPeak: DEEPSEEK_OFF_PEAK,
      effort: DEEPSEEK_EFFORT,
    },
    'deepseek-flash': DEEPSEEK_FLASH,
    'deepseek-v4-flash': DEEPSEEK_FLASH,
    'deepseek-v4-flash-vision-exp': DEEPSEEK_FLASH,
    // Names that the vendor pointed at its newest model.
    'deepseek-chat': { window: 128_000, output: 8_192, can: TEXT, usd: null, retired: '2026-07-24' },
    'deepseek-reasoner': { window: 128_000, output: 65_536, can: THINKS, usd: null, retired: '2026-07-24' },
  },
  // platform.kimi.ai/docs/pricing
  moonshot: {
    'kimi-k3.1-pro': { ...KIMI, usd: [2, 10, 0.2, 2, 4], effort: LOW_HIGH_MAX },
    'kimi-k3.1-pro-highspeed': { ...KIMI, usd: [4, 20, 0.2, 4, 8], effort: LOW_HIGH_MAX },
    'kimi-k3': { ...KIMI, usd: [3, 15, 0.3], effort: LOW_HIGH_MAX },
    'kimi-k2.7-code': { ...KIMI_K2, usd: [0.95, 4, 0.19], effort: NO_EFFORT },
    'kimi-k2.7-code-highspeed': { ...KIMI_K2, usd: null, effort: NO_EFFORT },
    'kimi-k2.6': { ...KIMI_K2, usd: [0.95, 4, 0.16], effort: KIMI_SWITCH },
    'kimi-k2.5': { ...KIMI_K2, usd: [0.95, 4, 0.16], effort: KIMI_SWITCH },
  },
  // docs.mistral.ai/getting-started/models and mistral.ai/pricing
  mistral: {
    'mistral-large-4': {
      window: 1_048_576,
      output: 262_144,
      can: ALL,
      usd: [0.7, 2.1, 0.07],
      changes: [{ from: '2026-10-20', usd: [1.36, 4.18, 0.14] }],
      effort: LOW_TO_HIGH,
    },
    'mistral-large-latest': { window: 262_144, output: 131_072, can: SEES, usd: [0.5, 1.5, 0.05] },
    'mistral-medium-latest': {
      window: 262_144,
      output: 131_072,
      can: ALL,
      usd: [1.5, 7.5, 0.15],
      effort: MISTRAL_SWITCH,
    },
    'mistral-small-latest': {
      window: 262_144,
      output: 131_072,
      can: ALL,
      usd: [0.15, 0.6, 0.015],
      effort: MISTRAL_SWITCH,
    },
    'magistral-medium-latest': {
      window: 262_144,
      output: 16_384,
      can: ALL,
      usd: [2, 5, 0.2],
      effort: NO_EFFORT,
    },
    'devstral-latest': { window: 262_144, output: 131_072, can: TEXT, usd: [0.4, 2, 0.04] },
    'devstral-2512': { window: 262_144, output: 131_072, can: TEXT, usd: [0.4, 2, 0.04] },
    'codestral-latest': { window: 256_000, output: 8_192, can: TEXT, usd: [0.3, 0.9, 0.03] },
  },
  // docs.x.ai/docs/models
  xai: {
    'grok-4.7': { ...GROK, effort: { levels: ['low', 'medium', 'high', 'xhigh'], default: 'high' } },
    'grok-4.6': { ...GROK, effort: { ...LOW_TO_HIGH, default: 'high' } },
    'grok-4.5': { ...GROK, effort: { ...LOW_TO_HIGH, default: 'high' } },
    'grok-4.3': {
      window: 1_000_000,
      output: 30_000,
      can: ALL,
      usd: [1.25, 2.5, 0.2],
      long: { above: 200_000, usd: [2.5, 5, 0.4] },
      effort: LOW_TO_HIGH,
    },
    'grok-4': { window: 256_000, output: 64_000, can: ALL, usd: null, effort: NO_EFFORT },
    'grok-code-fast-1': { window: 256_000, output: 10_000, can: THINKS, usd: null, effort: NO_EFFORT },
  },
  // docs.z.ai/guides/overview/pricing and /guides/capabilities/thinking
  zai: {
    'glm-5.3': { ...GLM, can: THINKS, usd: [1.4, 4.4, 0.26], effort: LOW_HIGH_MAX },
    'glm-5.3-flash': { ...GLM, can: ALL, usd: [0.15, 0.5, 0.03], effort: LOW_HIGH_MAX },
    ...Object.fromEntries(
      ['glm-5.1', 'glm-5', 'glm-5-turbo', 'glm-4.7', 'glm-4.6', 'glm-4.5'].map((id) => [id, GLM_BEFORE]),
    ),
    'glm-5.2': {
      ...GLM,
      can: THINKS,
      usd: null,
      effort: { levels: ['none', 'high', 'max'], default: 'max' },
    },
  },
  // platform.minimax.io/docs
  minimax: {
    'MiniMax-M3': {
      window: 1_000_000,
      output: 131_072,
      can: ALL,
      usd: [0.3, 1.2, 0.06],
      long: { above: 512_000, usd: [0.6, 2.4, 0.12] },
      effort: NO_EFFORT,
    },
  },
  // dev.meta.ai/docs/models and /pricing-rate-limits; thinking cannot be turned off. The names that end in `-contributor`
  // are left out: their price is the permission to train on prompts.
  meta: {
    'muse-spark-1.3': MUSE_SPARK,
    'muse-spark-1.2': MUSE_SPARK,
    'muse-spark-1.1': MUSE_SPARK,
    'muse-ember-1.0': { ...MUSE_SPARK, output: 524_288, usd: [0.1, 0.5, 0.004] },
  },
  // alibabacloud.com/help/en/model-studio/models
  qwen: {
    'qwen3.8-max': {
      window: 1_000_000,
      output: 65_536,
      can: ALL,
      usd: [2, 6, 0.4, 2.5],
      effort: {
        levels: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
        default: 'xhigh',
      },
    },
  },
} as const satisfies ModelTable['models'];
