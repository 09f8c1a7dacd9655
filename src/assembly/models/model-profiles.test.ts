import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isStale, learnedProfile } from '../../providers/local/profile.ts';
import { profileStore } from './model-profiles.ts';

async function dataRoot(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'aca-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

const place = { server: 'http://127.0.0.1:8080/v1', model: 'tiny', digest: 'one' };
const profile = learnedProfile(place, { toolMode: 'xml', resultRole: 'user', systemRole: true });

test('a profile is stored per server and model', async () => {
  const root = await dataRoot();
  await profileStore(root).keep(profile);
  const store = profileStore(root);
  expect(await store.find(place.server, 'tiny')).toEqual(profile);
  expect(await store.find(place.server, 'other')).toBeNull();
  expect(await store.find('http://elsewhere', 'tiny')).toBeNull();
});

test.each(['', '{', '{"toolMode": "telepathy"}'])('a damaged profile is ignored: %s', async (text) => {
  const root = await dataRoot();
  const store = profileStore(root);
  await store.keep(profile);
  const [file = ''] = await readdir(path.join(root, 'profiles'));
  await writeFile(path.join(root, 'profiles', file), text);
  expect(await store.find(place.server, 'tiny')).toBeNull();
});

test('it is stale if the server reports another digest, and only then', () => {
  expect(isStale(profile, 'two')).toBe(true);
  expect(isStale(profile, 'one')).toBe(false);
  expect(isStale(profile, undefined)).toBe(false);
  expect(isStale({}, 'two')).toBe(false);
});
