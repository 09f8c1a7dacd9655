import { expect, test } from 'vitest';
import { systemPrompt } from '../../context/prompt/system-prompt.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';

const surroundings = { cwd: '/home/me/project', platform: 'linux', shell: 'bash', instructions: [] };

test('[K01] the system prompt and the tools take less than 7K tokens, and the prompt less than its share', () => {
  const tools = createRegistry(builtinTools({ shell: 'bash', maxTimeoutMs: 600_000 })).definitions();
  const system = systemPrompt({ ...surroundings, mode: 'plan' });
  expect(tools.length).toBeGreaterThan(10);
  expect(estimateTokens({ model: 'm', system, tools, messages: [] })).toBeLessThan(7000);
  expect(estimateTokens({ model: 'm', system, messages: [] })).toBeLessThan(2000);
});

test('what differs between conversations comes after what is the same', () => {
  const one = systemPrompt({ ...surroundings, mode: 'default' });
  const other = systemPrompt({ ...surroundings, cwd: '/elsewhere', mode: 'plan' });
  const same = [...one].findIndex((letter, i) => letter !== other[i]);
  expect(same).toBe(one.indexOf('home/me/project'));
  expect(same).toBeGreaterThan(700);
});
