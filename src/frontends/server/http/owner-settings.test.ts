import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../../test/support/workspace.ts';
import { changeSetting, settingsIn } from './owner-settings.ts';

async function configuration(text?: string) {
  const { home } = await workspace();
  const file = path.join(home, 'config.json');
  if (text !== undefined) await writeFile(file, text);
  const settingOf = (key: string) => settingsIn(home).settings.find((one) => one.key === key)?.value;
  return { home, file, settingOf, text: () => readFile(file, 'utf8') };
}

test('without a file, every setting is described, and none is set', async () => {
  const { home, file } = await configuration();
  const found = settingsIn(home);
  expect(found.file).toBe(file);
  expect(found.settings.filter(({ value }) => value !== null)).toEqual([]);
  expect(found.settings.filter(({ description }) => description === '')).toEqual([]);
  expect(found.settings).toContainEqual({
    key: 'mode',
    name: 'Mode',
    description: expect.any(String),
    choices: ['read-only', 'plan', 'default', 'accept-edits', 'auto'],
    usual: 'default',
    value: null,
  });
});

test('a change keeps the rest of the file and its comments; empty removes the setting', async () => {
  const { home, text, settingOf } = await configuration('// mine\n{\n  "theme": "dark"\n}\n');
  await changeSetting(home, { key: 'limits.day', value: '$9' });
  await changeSetting(home, { key: 'maxTurns', value: '40' });
  expect(settingOf('limits.day')).toBe('$9');
  expect(settingOf('maxTurns')).toBe('40');
  expect(await text()).toContain('// mine\n');
  expect(await text()).toContain('"maxTurns": 40');
  await changeSetting(home, { key: 'limits.day', value: null });
  expect(settingOf('limits.day')).toBe(null);
  expect(await text()).toContain('"theme": "dark"');
});

test.each([
  ['limits.day', 'a lot', 'must be a limit such as'],
  ['mode', 'yolo', 'mode must be one of'],
  ['maxTurns', 'many', 'maxTurns must be a number'],
  ['permissions.allow', '["Bash"]', 'permissions.allow cannot be changed here.'],
  ['apiKey', 'x', 'apiKey cannot be changed here.'],
  ['hooks', '{}', 'hooks cannot be changed here.'],
  ['constructor', 'x', 'constructor cannot be changed here.'],
])('%s %s changes nothing', async (key, value, message) => {
  const { home, text } = await configuration('{}\n');
  await expect(changeSetting(home, { key, value })).rejects.toThrow(message);
  expect(await text()).toBe('{}\n');
});
