import type { VendorRequest } from './rule.ts';

const NAMES = [
  'anthropic',
  'google',
  'ollama',
  'openai',
  'xai',
  'deepseek',
  'moonshot',
  'zai',
  'minimax',
  'qwen',
  'mistral',
  'meta',
  'openrouter',
  'local',
] as const;

export type VendorName = (typeof NAMES)[number];

/** By the name of a model; the first match counts. Other names are those of open models on any server. */
const BY_MODEL: [pattern: RegExp, vendor: VendorName][] = [
  [
    /^~?((anthropic|google|x-ai|z-ai|moonshotai|deepseek|minimax|qwen|mistralai)\/|openai\/gpt-\d)/,
    'openrouter',
  ],
  [/^(gpt-\d|o\d|chatgpt-|codex-)/, 'openai'],
  [/^grok-/, 'xai'],
  [/^deepseek-(v|flash|chat|reasoner)/, 'deepseek'],
  [/^(kimi-|moonshot-)/, 'moonshot'],
  [/^glm-/, 'zai'],
  [/^muse-/, 'meta'],
  [/^minimax-/i, 'minimax'],
  [/^qwen3?\.?\d*-(max|plus|flash|turbo|coder)/, 'qwen'],
  [/^(mistral|magistral|ministral|codestral|devstral|pixtral)-/, 'mistral'],
];

/** The vendor of a request: an option says so, or the first folder of its path, or else its model. */
export function vendorOf({ protocol, path, model, settled }: VendorRequest): VendorName {
  if (protocol === 'google' || protocol === 'ollama') return protocol;
  const folder = path.split('/')[1] ?? '';
  const named = settled.vendor ?? NAMES.find((name) => name === folder);
  const usual = protocol === 'anthropic' ? protocol : 'local';
  return named ?? BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? usual;
}
