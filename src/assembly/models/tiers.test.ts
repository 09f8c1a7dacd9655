import { describe, expect, test } from 'vitest';
import { hello, loopback, play, sse } from '../../../test/support/loopback.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { loadConfig } from '../../config/load.ts';
import type { ConfigInput } from '../../config/schema/schema.ts';
import type { Tier } from '../../contract/request/tier.ts';
import { createProvider } from '../../providers/index.ts';
import { costOf, infoOf, servedAt } from '../../providers/models/models.ts';
import { type Preset, presets } from '../../providers/presets.ts';
import { tierNamed } from '../../providers/tiers.ts';
import { modelInfo, tierOf } from './choose-model.ts';

function presetNamed(name: string): Preset {
  const preset = presets.find((row) => row.name === name);
  if (!preset) throw new Error(`There is no preset ${name}.`);
  return preset;
}

async function settings(flags: ConfigInput) {
  const { root } = await workspace();
  return loadConfig({ home: root, cwd: root, env: {}, flags, trusted: false }).config;
}

describe('the price of a service tier', () => {
  test.each<[string, string, Tier, number]>([
    ['openai', 'gpt-6.1-sol', 'flex', 0.5],
    ['openai', 'gpt-6.1-sol', 'standard', 1],
    ['openai', 'gpt-6.1-sol', 'priority', 2],
    ['azure', 'gpt-6-luna', 'flex', 0.5],
    ['google', 'gemini-2.5-pro', 'flex', 0.5],
    ['anthropic', 'claude-haiku-5-5', 'priority', 1],
    ['anthropic', 'claude-haiku-5-5', 'flex', 1],
    ['minimax', 'MiniMax-M3', 'priority', 1.5],
    ['minimax', 'MiniMax-M3', 'standard', 1],
    ['deepseek', 'deepseek-flash', 'flex', 1],
  ])('%s/%s at %s costs %d times as much, also for long prompts', async (name, model, tier, factor) => {
    const preset = presetNamed(name);
    const usual = infoOf(preset.tableOf ?? name, model);
    const { price, long } = modelInfo(preset, model, await settings({ tier }));
    expect(price?.input).toBeCloseTo((usual.price?.input ?? 0) * factor, 10);
    expect(price?.cacheRead).toBeCloseTo((usual.price?.cacheRead ?? 0) * factor, 10);
    expect(long?.price.output ?? 0).toBeCloseTo((usual.long?.price.output ?? 0) * factor, 10);
  });

  test.each<[string, string, Tier | undefined, string | undefined, number]>([
    ['openai', 'gpt-6.1-sol', 'priority', 'default', 1],
    ['openai', 'gpt-6.1-sol', 'priority', 'priority', 2],
    ['openai', 'gpt-6.1-sol', 'priority', undefined, 2],
    ['openai', 'gpt-6.1-sol', undefined, 'priority', 2],
    ['openai', 'gpt-6.1-sol', 'flex', 'default', 1],
    ['openai', 'gpt-6.1-sol', 'flex', 'unheard-of', 0.5],
    ['minimax', 'MiniMax-M3', 'priority', 'standard', 1],
    ['anthropic', 'claude-haiku-5-5', 'priority', 'standard', 1],
  ])('%s/%s at %s, served at %s, costs %d times as much', async (name, model, tier, served, factor) => {
    const preset = presetNamed(name);
    const info = modelInfo(preset, model, await settings(tier === undefined ? {} : { tier }));
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 500, cacheWriteTokens: 0 };
    const cost = costOf(usage, servedAt(info, tierNamed(preset, served)?.price));
    expect(cost).toBeCloseTo((costOf(usage, infoOf(name, model)) ?? 0) * factor, 10);
  });

  test('a price that the user set is not changed', async () => {
    const price = { input: 1, output: 2, cacheRead: 0, cacheWrite: 1 };
    const config = await settings({ tier: 'flex', models: { 'openai/gpt-6.1-sol': { price } } });
    const info = modelInfo(presetNamed('openai'), 'gpt-6.1-sol', config);
    expect(info.price).toEqual(price);
    expect(servedAt(info, 2).price).toEqual(price);
  });
});

test.each<[string, Tier, object]>([
  ['openai', 'flex', { service_tier: 'flex' }],
  ['openai', 'standard', { service_tier: 'default' }],
  ['openai-chat', 'priority', { service_tier: 'priority' }],
  ['google', 'flex', { serviceTier: 'flex' }],
  ['anthropic', 'standard', { service_tier: 'standard_only' }],
  ['anthropic', 'priority', { service_tier: 'auto' }],
  ['anthropic', 'flex', {}],
  ['mistral', 'flex', {}],
])('%s is asked for the tier %s with %j', async (name, wanted, expected) => {
  const server = await loopback((response) => sse(response, []));
  const preset = presetNamed(name);
  const tier = tierOf(preset, await settings({ tier: wanted }));
  const provider = await createProvider(preset, {
    baseUrl: server.url,
    infoOf: (model) => infoOf(name, model),
    ...(tier && { tier: tier.name }),
  });
  await play(provider, hello());
  const { service_tier, serviceTier } = server.requests[0]?.body ?? {};
  expect({
    ...(service_tier !== undefined && { service_tier }),
    ...(serviceTier !== undefined && { serviceTier }),
  }).toEqual(expected);
});
