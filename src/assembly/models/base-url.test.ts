import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { loadConfig } from '../../config/load.ts';
import { baseUrlVariables, type Preset, presets } from '../../providers/presets.ts';
import { baseUrlOf } from './base-url.ts';
import { chooseModel } from './choose-model.ts';

const gateway = 'https://gateway.example/v1';
const vendors: readonly Preset[] = presets.filter(({ local }: Preset) => local === undefined);
/** A variable named like each key, and one named like the preset. */
const rows = presets.flatMap(({ name, keyEnv }: Preset) =>
  [...keyEnv, `${name.toUpperCase().replace('-', '_')}_API_KEY`]
    .filter((key) => key.endsWith('_API_KEY'))
    .map((key) => [name, key.replace('_API_KEY', '_BASE_URL')] as const),
);

async function settings(input: object = {}) {
  const { root } = await workspace();
  return loadConfig({ home: root, cwd: root, env: {}, flags: input, trusted: false }).config;
}

test.each(rows)('%s is reached at %s', async (name, variable) => {
  const preset = presets.find((row) => row.name === name) as Preset;
  expect(baseUrlOf(preset, { config: await settings(), env: { [variable]: gateway } })).toBe(gateway);
});

test('every vendor with a key of its own has such a variable', () => {
  const named = new Set<string>(rows.map(([name]) => name));
  expect(vendors.filter(({ name, cloud }) => !cloud && !named.has(name))).toEqual([]);
});

test.each(vendors.filter(({ defaultModel, cloud }) => defaultModel && !cloud).map(({ name }) => name))(
  'the key and the prompts for %s go to the gateway and nowhere else',
  async (provider) => {
    const [, variable = ''] = rows.find(([name]) => name === provider) ?? [];
    const choice = await chooseModel({
      config: await settings({ provider }),
      env: { [variable]: gateway },
      findKey: async () => ({ key: 'k', source: 'test' }),
    });
    expect(choice).toMatchObject({ baseUrl: gateway, key: { key: 'k' } });
  },
);

test('an address that is none is one error that names the variable and not its value', async () => {
  const config = await settings();
  const wrong = [
    'http://[',
    'http://user:secret@[',
    'http://x:99999',
    'ftp://x',
    'file:///x',
    'http:// x',
    'http://',
  ];
  for (const preset of presets as readonly Preset[])
    for (const variable of baseUrlVariables(preset))
      for (const value of wrong)
        expect(
          () => baseUrlOf(preset, { config, env: { [variable]: value } }),
          `${variable}=${value}`,
        ).toThrow(`${variable} is not an http or https address.`);
  const [first] = presets;
  const [variable = ''] = baseUrlVariables(first);
  expect(baseUrlOf(first, { config, env: { [variable]: 'localhost:8080/v1' } })).toBe(
    'http://localhost:8080/v1',
  );
});
