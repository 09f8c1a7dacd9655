import { deepseekRules } from './deepseek.ts';
import { localRules } from './local.ts';
import { metaRules } from './meta.ts';
import { minimaxRules } from './minimax.ts';
import { mistralRules } from './mistral.ts';
import { moonshotRules } from './moonshot.ts';
import { openaiRules } from './openai.ts';
import { openrouterRules } from './openrouter.ts';
import { qwenRules } from './qwen.ts';
import type { Rule } from './rule.ts';
import type { VendorName } from './vendor-of.ts';
import { xaiRules } from './xai.ts';
import { zaiRules } from './zai.ts';

/** Rules of vendors that share the formats of OpenAI or Anthropic. The others have formats of their own. */
export const VENDORS = {
  anthropic: [],
  google: [],
  ollama: [],
  openai: openaiRules,
  xai: xaiRules,
  deepseek: deepseekRules,
  moonshot: moonshotRules,
  zai: zaiRules,
  minimax: minimaxRules,
  qwen: qwenRules,
  meta: metaRules,
  mistral: mistralRules,
  openrouter: openrouterRules,
  local: localRules,
} as const satisfies Record<VendorName, readonly Rule[]>;
