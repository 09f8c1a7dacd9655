import { expect, test } from 'vitest';
import { systemPrompt } from '../../context/prompt/system-prompt.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import { findPreset } from '../../providers/presets.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { isSmall, offeredTools } from '../models/small-model.ts';

const preset = findPreset('ollama');
const all = createRegistry(builtinTools({ shell: 'bash', maxTimeoutMs: 600_000 })).definitions();
const wanted = { tools: 'auto', offline: false } as const;

/** Tokens of the system prompt and the tools for a local model with this window. */
function fixedPart(contextWindow: number): number {
  if (!preset) throw new Error('no such preset');
  const choice = {
    preset,
    info: {
      provider: 'ollama',
      id: 'm',
      contextWindow,
      maxOutputTokens: 1024,
      price: null,
      abilities: { tools: true, images: false, thinking: false },
    },
  };
  const place = { cwd: '/home/me/project', platform: 'linux', shell: 'bash', mode: 'default' as const };
  const length = isSmall(choice, wanted) ? { length: 'short' as const } : {};
  const system = systemPrompt({ ...place, instructions: [], ...length });
  return estimateTokens({ model: 'm', system, tools: offeredTools(all, choice, wanted), messages: [] });
}

test.each([
  [2048, 0.35],
  [4096, 0.18],
  [8192, 0.09],
  [16_384, 0.05],
  [32_768, 0.2],
])('in a window of %i tokens the fixed part takes at most this share: %f', (window, share) => {
  expect(fixedPart(window) / window).toBeLessThan(share);
  expect(fixedPart(window)).toBeGreaterThan(300);
});
