import { describe, expect, test } from 'vitest';
import { says } from '../../../test/support/model-server/script.ts';
import { type ScriptedModel, scripted } from '../../../test/support/scripted.ts';
import { settled } from '../../config/schema/check-settings.ts';
import { ProviderError, UserError } from '../../contract/errors.ts';
import type { ProviderEvent } from '../../contract/provider.ts';
import { infoOf } from '../../providers/models/models.ts';
import { findPreset } from '../../providers/presets.ts';
import { type BackgroundModelDeps, backgroundModelOf, cheapestOf } from './background-model.ts';
import type { Choice } from './choose-model.ts';

function choiceOf(provider: string, model: string, baseUrl?: string): Choice {
  const preset = findPreset(provider);
  if (!preset) throw new Error(`no preset ${provider}`);
  return { preset, baseUrl: baseUrl ?? preset.baseUrl, model, info: infoOf(provider, model), key: null };
}

const config = settled({});
const signal = new AbortController().signal;
const sonnet = choiceOf('anthropic', 'claude-sonnet-4-5');
const options = { maxTokens: 100, signal };

function setUp(main: ScriptedModel, cheap: ScriptedModel, changes: Partial<BackgroundModelDeps> = {}) {
  return backgroundModelOf({
    config,
    main: { choice: sonnet, provider: main },
    beside: (choice) => ({ choice, provider: cheap }),
    open: async () => ({ choice: choiceOf('openai', 'gpt-5-mini'), provider: cheap }),
    ...changes,
  });
}

describe('[U05] the model for background work', () => {
  test('is the cheapest of the same vendor with a large enough window', () => {
    expect(cheapestOf(sonnet, config, { window: 32_000 })?.id).toBe('claude-haiku-5-5');
    expect(cheapestOf(choiceOf('openai', 'gpt-5'), config, { window: 32_000 })?.id).toBe('gpt-5-nano');
    expect(
      cheapestOf(choiceOf('openai', 'gpt-5'), config, { window: 900_000 })?.contextWindow,
    ).toBeGreaterThan(900_000);
  });

  test('is not guessed if the cheapest is already in use, or the server or price is unknown', () => {
    expect(cheapestOf(choiceOf('anthropic', 'claude-haiku-5-5'), config, { window: 32_000 })).toBeNull();
    expect(
      cheapestOf(choiceOf('anthropic', 'claude-sonnet-4-5', 'http://proxy.test'), config, { window: 1 }),
    ).toBeNull();
    expect(cheapestOf(choiceOf('ollama', 'qwen3:8b'), config, { window: 1 })).toBeNull();
  });

  test('answers one prompt, with low effort, and reports its name', async () => {
    const main = scripted();
    const cheap = scripted(says(' short '));
    const backgroundModel = await setUp(main, cheap)();
    expect(await backgroundModel?.complete('sum this up', options)).toEqual({
      text: 'short',
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
      by: 'anthropic/claude-haiku-5-5',
    });
    expect(cheap.requests).toMatchObject([
      // Thinking has its own token allowance.
      { model: 'claude-haiku-5-5', maxTokens: 100 + 8192, effort: 'low' },
    ]);
  });

  test('reports a truncated answer', async () => {
    const half: ProviderEvent[] = [
      { type: 'text', text: 'hal' },
      { type: 'stop', reason: 'max_tokens' },
    ];
    const backgroundModel = await setUp(scripted(), scripted(half))();
    expect(await backgroundModel?.complete('sum this up', options)).toMatchObject({ text: 'hal', cut: true });
  });

  test('is the one that the user configured, before any other', async () => {
    const cheap = scripted(says('short'));
    const named = setUp(scripted(), cheap, { config: { ...config, helperModel: 'openai/gpt-5-mini' } });
    const backgroundModel = await named();
    expect(backgroundModel?.model).toBe('gpt-5-mini');
    expect((await backgroundModel?.complete('x', options))?.by).toBe('openai/gpt-5-mini');
  });

  test('falls back to the main model if it fails or returns nothing', async () => {
    const overloaded = new ProviderError('busy', { kind: 'overloaded', provider: 'p' });
    const main = scripted(says('one'), says('two'));
    const backgroundModel = await setUp(main, scripted(overloaded, says(' ')))();
    expect((await backgroundModel?.complete('x', options))?.text).toBe('one');
    expect((await backgroundModel?.complete('x', options))?.text).toBe('two');
  });

  test('is not requested a second time if the vendor does not have the model', async () => {
    const gone = new ProviderError('no such model', { kind: 'model_not_found', provider: 'p' });
    const cheap = scripted(gone);
    const find = setUp(scripted(says('one'), says('two')), cheap);
    await (await find())?.complete('x', options);
    const second = await find();
    expect(second?.model).toBe('claude-sonnet-4-5');
    expect((await second?.complete('x', options))?.text).toBe('two');
    expect(cheap.requests).toHaveLength(1);
  });

  test('is the main one if the configured one is unreachable or its window is too small', async () => {
    const changes = { config: { ...config, helperModel: 'nobody/nothing' } };
    const unreachable = setUp(scripted(), scripted(), {
      ...changes,
      open: async () => {
        throw new UserError('Unknown provider "nobody".', '');
      },
    });
    expect((await unreachable())?.model).toBe('claude-sonnet-4-5');
    const small = setUp(scripted(), scripted(), changes);
    expect((await small({ window: 500_000 }))?.model).toBe('claude-sonnet-4-5');
  });

  test('does not exist if background work is disabled', async () => {
    const off = setUp(scripted(), scripted(), { config: { ...config, helperModel: 'none' } });
    expect(await off()).toBeNull();
  });

  test('reports the failure if the main model fails, too', async () => {
    const busy = new ProviderError('busy', { kind: 'overloaded', provider: 'p' });
    const backgroundModel = await setUp(scripted(busy), scripted(busy))();
    await expect(backgroundModel?.complete('x', options)).rejects.toBe(busy);
  });
});
