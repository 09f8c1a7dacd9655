import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { checkForUpdate, type UpdatePlace, updateNotice, wantsUpdates } from './notice.ts';
import { latestVersion, registryOf } from './registry.ts';

const HOUR = 60 * 60 * 1000;
const config: UpdatePlace['config'] = { offline: false, updates: { check: true } };

/** A registry with a fixed answer that records its requests. */
function answering(body: string, status = 200) {
  const asked: string[] = [];
  const http: HttpClient = async ({ url }) => {
    asked.push(url);
    return { status, headers: {}, body: Readable.from([Buffer.from(body)]), text: async () => body };
  };
  return { http, asked };
}

const knownIn = async (root: string) =>
  JSON.parse(await readFile(path.join(root, 'cache', 'update.json'), 'utf8')) as unknown;

test.each<[string, Partial<UpdatePlace['config']>, UpdatePlace['env'], boolean]>([
  ['nothing is said', {}, {}, true],
  ['the setting is off', { updates: { check: false } }, {}, false],
  ['the machine is offline', { offline: true }, {}, false],
  ['AI_ASSISTANT_NO_UPDATE_CHECK is set', {}, { AI_ASSISTANT_NO_UPDATE_CHECK: '1' }, false],
  ['NO_UPDATE_NOTIFIER is set', {}, { NO_UPDATE_NOTIFIER: 'true' }, false],
  ['it runs in CI', {}, { CI: 'true' }, false],
  ['the switches say no', {}, { NO_UPDATE_NOTIFIER: '0', CI: 'false' }, true],
])('where %s', (_name, changes, env, wanted) => {
  expect(wantsUpdates({ config: { ...config, ...changes }, env, fromSource: false })).toBe(wanted);
});

test('a clone asks nobody, unless the settings name a registry', async () => {
  const { root } = await workspace();
  const { http, asked } = answering('{"version":"99.0.0"}');
  const clone = { root, config, env: {}, fromSource: true };
  await mkdir(path.join(root, 'cache'));
  await writeFile(path.join(root, 'cache', 'update.json'), '{"checkedAt":1,"latest":"98.0.0"}');
  await checkForUpdate(clone, async () => http);
  expect([asked, updateNotice(clone, '0.1.0')]).toEqual([[], null]);
  const registry = 'https://packages.example';
  await checkForUpdate(
    { ...clone, config: { ...config, updates: { check: true, registry } } },
    async () => http,
  );
  expect(asked).toEqual(['https://packages.example/ai-code-assistant/latest']);
});

test('[D01] it is checked once a day, and shown from then on as long as it is newer', async () => {
  const { root } = await workspace();
  const place = { root, config, env: {}, fromSource: false };
  const { http, asked } = answering('{"version":"0.2.0"}');
  const now = Date.parse('2026-11-16T09:00:00Z');
  expect(updateNotice(place, '0.1.0')).toBe(null);
  await checkForUpdate(place, async () => http, now);
  await checkForUpdate(place, async () => http, now + 23 * HOUR);
  expect(asked).toEqual(['https://registry.npmjs.org/ai-code-assistant/latest']);
  await checkForUpdate(place, async () => http, now + 25 * HOUR);
  expect(asked.length).toBe(2);
  expect(updateNotice(place, '0.1.0')).toBe(
    'Version 0.2.0 is available (you have 0.1.0). Run `aca update` to see how to get it.',
  );
  expect([updateNotice(place, '0.2.0'), updateNotice(place, '0.3.0-beta.1')]).toEqual([null, null]);
  expect(updateNotice({ ...place, env: { CI: '1' } }, '0.1.0')).toBe(null);
});

test('[D01] a failing registry is not asked again for a day, and the last result is kept', async () => {
  const { root } = await workspace();
  const place = { root, config, env: {}, fromSource: false };
  await checkForUpdate(place, async () => answering('{"version":"0.2.0"}').http, 0);
  await checkForUpdate(place, async () => answering('down', 503).http, 30 * HOUR);
  expect(await knownIn(root)).toEqual({ checkedAt: 30 * HOUR, latest: '0.2.0' });
});

test('a clock that was set back does not silence it for years', async () => {
  const { root } = await workspace();
  const { http, asked } = answering('{"version":"0.2.0"}');
  await checkForUpdate(
    { root, config, env: {}, fromSource: false },
    async () => http,
    Date.parse('2099-01-01'),
  );
  await checkForUpdate(
    { root, config, env: {}, fromSource: false },
    async () => http,
    Date.parse('2026-11-16'),
  );
  expect(asked.length).toBe(2);
});

test.each([
  '',
  'no JSON',
  '[]',
  '{"latest":"9.9.9"}',
  '{"checkedAt":"x","latest":"9.9.9"}',
  '{"checkedAt":1,"latest":{}}',
])('a damaged file counts as no result: %j', async (text) => {
  const { root } = await workspace();
  await mkdir(path.join(root, 'cache'));
  await writeFile(path.join(root, 'cache', 'update.json'), text);
  expect(updateNotice({ root, config, env: {}, fromSource: false }, '0.1.0')).toBe(null);
});

describe('the registry', () => {
  test("comes from the settings, else from npm's own variable, else it is the public one", () => {
    const env = { npm_config_registry: 'http://127.0.0.1:4873/' };
    const own = { updates: { check: true, registry: 'https://packages.example/npm/' } };
    expect([
      registryOf(own, env),
      registryOf(config, env),
      registryOf(config, {}),
      registryOf(config, { npm_config_registry: 'x' }),
    ]).toEqual([
      'https://packages.example/npm',
      'http://127.0.0.1:4873',
      'https://registry.npmjs.org',
      'https://registry.npmjs.org',
    ]);
  });

  test.each([
    ['no version', '{}'],
    ['words for a terminal', JSON.stringify({ version: '1.0.0\u001b]0;pwned' })],
    ['no object', 'null'],
  ])('%s is refused', async (_name, body) => {
    await expect(latestVersion('http://r', answering(body).http)).rejects.toThrow(
      'http://r returned no version',
    );
  });
});
