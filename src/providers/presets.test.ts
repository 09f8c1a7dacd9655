import { describe, expect, test } from 'vitest';
import { infoOf } from './models/models.ts';
import { baseUrlVariables, findPreset, type Preset, presets } from './presets.ts';

const all: readonly Preset[] = presets;

describe('[V05] presets', () => {
  test('include every documented vendor and kind of server', () => {
    expect(all.map((preset) => preset.name)).toEqual([
      'anthropic',
      'openai',
      'openai-chat',
      'google',
      'deepseek',
      'groq',
      'openrouter',
      'moonshot',
      'mistral',
      'xai',
      'zai',
      'minimax',
      'qwen',
      'meta',
      'together',
      'fireworks',
      'cerebras',
      'bedrock',
      'vertex',
      'azure',
      'ollama',
      'lmstudio',
      'llamacpp',
      'vllm',
      'local',
    ]);
  });

  test.each(all.map((preset) => [preset.name, preset] as const))('%s is complete', (name, preset) => {
    expect(name).toMatch(/^[a-z][a-z-]*$/);
    expect(baseUrlVariables(preset)).not.toEqual([]);
    if (preset.local) {
      expect(preset.baseUrl).toMatch(/^(http:\/\/127\.0\.0\.1:\d+(\/v1)?)?$/);
      return;
    }
    if (preset.cloud) {
      expect(preset.baseUrl).toBe('');
      return;
    }
    expect(preset.baseUrl).toMatch(/^https:\/\/[^/]+(\/[^/]+)*$/);
    expect(preset.keyEnv.length).toBeGreaterThan(0);
    expect(preset.keyUrl).toMatch(/^https:\/\//);
    const stranger = infoOf(preset.name, 'nobody-knows-this-one');
    const { id, ...facts } = infoOf(preset.name, preset.defaultModel ?? '');
    expect({ ...facts, id: stranger.id }).not.toEqual(stranger);
  });

  test('quirks are set only for the protocol that supports them', () => {
    expect(all.filter((preset) => preset.quirks && !preset.protocol.startsWith('openai'))).toEqual([]);
  });

  test('[V03][V04] the models of the requirements are for accounts without the current ones', () => {
    expect(findPreset('anthropic')?.olderModels?.[0]).toBe('claude-sonnet-4-20250514');
    expect(findPreset('openai')?.olderModels?.[0]).toBe('gpt-4-turbo');
    expect(findPreset('openai-chat')?.olderModels?.[0]).toBe('gpt-4-turbo');
  });

  test('an unknown name returns nothing', () => {
    expect(findPreset('nobody')).toBeUndefined();
  });
});
