import { describe, expect, test } from 'vitest';
import { systemPrompt } from '../../context/prompt/system-prompt.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import { infoOf } from '../../providers/models/models.ts';
import { findPreset } from '../../providers/presets.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { fitInstructions, isSmall, offeredTools } from './small-model.ts';

const all = createRegistry(builtinTools({ shell: 'bash', maxTimeoutMs: 600_000 })).definitions();

function choice(provider: string, contextWindow: number) {
  const preset = findPreset(provider);
  if (!preset) throw new Error(`no preset ${provider}`);
  return { preset, info: infoOf(provider, 'm', { overrides: { contextWindow } }) };
}

describe('a small model', () => {
  test('is a local one with a small window, or set by the user', () => {
    expect(isSmall(choice('ollama', 8192), { tools: 'auto' })).toBe(true);
    expect(isSmall(choice('ollama', 32_768), { tools: 'auto' })).toBe(false);
    expect(isSmall(choice('anthropic', 8192), { tools: 'auto' })).toBe(false);
    expect(isSmall(choice('ollama', 8192), { tools: 'full' })).toBe(false);
    expect(isSmall(choice('anthropic', 200_000), { tools: 'minimal' })).toBe(true);
  });

  test('gets few tools with short descriptions: with its prompt at most 600 tokens', () => {
    const tools = offeredTools(all, choice('ollama', 4096), { tools: 'auto', offline: false });
    expect(tools.map(({ name }) => name)).toEqual(['Read', 'Edit', 'Write', 'Glob', 'Grep', 'Bash']);
    expect(tools[0]?.parameters).toEqual({
      type: 'object',
      properties: {
        file_path: { type: 'string' },
        offset: { type: 'integer' },
      },
      required: ['file_path'],
    });
    const system = systemPrompt({
      cwd: '/home/me/project',
      platform: 'linux',
      shell: 'bash',
      mode: 'default',
      instructions: [],
      length: 'short',
    });
    expect(estimateTokens({ model: 'm', system, tools, messages: [] })).toBeLessThanOrEqual(600);
  });

  test('gets as much of the instructions as leaves space for work', () => {
    const instructions = [
      { file: 'A.md', text: 'a'.repeat(1500) },
      { file: 'B.md', text: 'b'.repeat(1500) },
    ];
    expect(fitInstructions(instructions, 4000)).toEqual([
      { file: 'A.md', text: 'a'.repeat(1500) },
      { file: 'B.md', text: `${'b'.repeat(500)}\n[cut; the rest is in B.md]` },
    ]);
  });
});

test('offline, web tools are not offered', () => {
  const names = (offline: boolean) =>
    offeredTools(all, choice('ollama', 128_000), { tools: 'auto', offline }).map(({ name }) => name);
  expect(names(false)).toContain('WebFetch');
  expect(names(true)).toEqual(names(false).filter((name) => name !== 'WebFetch'));
});
