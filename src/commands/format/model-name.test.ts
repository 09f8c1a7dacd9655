import { expect, test } from 'vitest';
import { shortModel } from './model-name.ts';

test.each([
  ['claude-sonnet-4-20250514', 'sonnet-4'],
  ['claude-sonnet-4-5-20250929', 'sonnet-4.5'],
  ['claude-opus-4-1', 'opus-4.1'],
  ['claude-opus-5', 'opus-5'],
  ['claude-3-5-haiku-20241022', 'haiku-3.5'],
  ['claude-3-7-sonnet-latest', 'sonnet-3.7'],
  ['claude-sonnet-4@20250514', 'sonnet-4'],
  ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'sonnet-4'],
  ['claude-instant', 'claude-instant'],
  ['gpt-4o-2024-08-06', 'gpt-4o'],
  ['gpt-5.1-codex-mini', 'gpt-5.1-codex-mini'],
  ['gemini-3-pro-preview', 'gemini-3-pro-preview'],
  ['meta-llama/llama-4-maverick', 'llama-4-maverick'],
  ['anthropic/claude-opus-4.5', 'opus-4.5'],
  ['qwen3:latest', 'qwen3'],
  ['qwen3:8b', 'qwen3:8b'],
  ['/models/Qwen3-4B-Instruct-Q4_K_M.gguf', 'Qwen3-4B-Instruct-Q4_K_M'],
  ['o3', 'o3'],
  ['', ''],
])('%s is %s', (id, short) => {
  expect(shortModel(id)).toBe(short);
});
