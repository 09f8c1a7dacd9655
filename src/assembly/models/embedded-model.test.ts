import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tinyModel } from '../../../test/support/embedded.ts';
import { settled } from '../../config/schema/check-settings.ts';
import { systemPrompt } from '../../context/prompt/system-prompt.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { chooseEmbedded, embeddedPreset, firstEmbedded, openEmbedded } from './embedded-model.ts';
import { isSmall, offeredTools } from './small-model.ts';

let dataRoot: string;

beforeEach(async () => {
  dataRoot = await mkdtemp(path.join(tmpdir(), 'aca-embedded-'));
});

afterEach(() => rm(dataRoot, { recursive: true, force: true }));

const place = (input: object = {}) => ({
  dataRoot,
  cwd: dataRoot,
  config: settled(input),
  env: {},
});

test('a path to a .gguf file and embedded/NAME refer to embedded models; other names do not', async () => {
  const file = await tinyModel(path.join(dataRoot, 'models/me--mine/small.gguf'), {});

  const named = await chooseEmbedded('embedded/small', place());
  const byPath = await chooseEmbedded('models/me--mine/small.gguf', place());

  expect(named).toMatchObject({ preset: embeddedPreset, model: 'small', key: null });
  expect(named?.info).toEqual({
    provider: 'embedded',
    id: 'small',
    contextWindow: 4096,
    maxOutputTokens: 1024,
    price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    abilities: { tools: true, images: false, thinking: false },
  });
  expect(byPath?.model).toBe(file);
  expect(await chooseEmbedded('ollama/small', place())).toBeNull();
  expect(await chooseEmbedded('small', place())).toBeNull();
});

test("the user's window setting applies", async () => {
  await tinyModel(path.join(dataRoot, 'models/me--mine/small.gguf'), {});
  const window = async (input: object) =>
    (await chooseEmbedded('embedded/small', place(input)))?.info.contextWindow;

  expect(await window({ maxContextTokens: 1000 })).toBe(1000);
  expect(await window({ models: { 'embedded/small': { contextWindow: 3000 } } })).toBe(3000);
});

test('without a runtime no model is offered, and a named one reports what is missing', async () => {
  await tinyModel(path.join(dataRoot, 'models/me--mine/small.gguf'), {});
  expect(await firstEmbedded(place())).toBeNull();
  const choice = await chooseEmbedded('embedded/small', place());
  if (!choice) throw new Error('It was not chosen.');

  await expect(openEmbedded(choice, place())).rejects.toMatchObject({
    name: 'UserError',
    hint: 'Install it with: aca models setup',
  });
});

test('the prompt and tools of an embedded model take at most 600 tokens, however large its window', () => {
  const config = settled({});
  const info = { contextWindow: 32_768 } as Parameters<typeof isSmall>[0]['info'];
  const choice = { preset: embeddedPreset, info };
  expect(isSmall(choice, config)).toBe(true);
  const tools = offeredTools(createRegistry(builtinTools()).definitions(), choice, config);
  const surroundings = { cwd: '/home/someone/project', platform: 'linux', shell: 'bash' };
  const system = systemPrompt({ ...surroundings, mode: 'default', instructions: [], length: 'short' });
  const written =
    system + tools.map((tool) => JSON.stringify({ type: 'function', function: tool })).join('\n');

  expect(tools.length).toBeGreaterThan(4);
  // 3.5 characters per token is a conservative estimate.
  expect(written.length / 3.5).toBeLessThan(600);
});
