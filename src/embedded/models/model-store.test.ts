import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tinyModel } from '../../../test/support/embedded.ts';
import { lockFile } from '../../lib/files/lock.ts';
import { curatedModels } from './curated.ts';
import { ModelStore } from './model-store.ts';

let root: string;
let store: ModelStore;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'aca-models-'));
  store = new ModelStore(root);
});

afterEach(() => rm(root, { recursive: true, force: true }));

test('an empty data root has no models', async () => {
  expect(await store.list()).toEqual([]);
  await expect(store.facts('qwen3-4b', { cwd: root, env: {} })).rejects.toMatchObject({
    message: 'The model qwen3-4b is not downloaded.',
    hint: 'Download it with: aca models pull qwen3-4b',
  });
});

test('a recommended model has its short name, any other its file name; partial downloads are ignored', async () => {
  const [curated] = curatedModels;
  if (!curated) throw new Error('The list is empty.');
  const own = await tinyModel(store.place(curated), {});
  const other = await tinyModel(store.place({ repo: 'me/mine', file: 'sub/Other-Q4.gguf' }), {});
  await writeFile(`${other}.part`, 'half');

  expect(await store.list()).toEqual([
    { name: 'Other-Q4', file: other, curated: null },
    { name: curated.name, file: own, curated },
  ]);
  expect((await store.facts('other-q4', { cwd: root, env: {} })).file).toBe(other);
  expect((await store.facts(path.relative(root, other), { cwd: root, env: {} })).file).toBe(other);
});

test('a damaged file affects only itself', async () => {
  const good = await tinyModel(store.place({ repo: 'me/mine', file: 'good.gguf' }), {});
  await writeFile(store.place({ repo: 'me/mine', file: 'bad.gguf' }), 'no model');

  expect((await store.list()).map(({ name }) => name)).toEqual(['bad', 'good']);
  expect((await store.readable()).map(({ file }) => file)).toEqual([good]);
});

test('a removed model is deleted with its folder, and its neighbours stay', async () => {
  const one = { repo: 'me/mine', file: 'one.gguf' };
  await tinyModel(store.place(one), {});
  await tinyModel(store.place({ ...one, file: 'two.gguf' }), {});

  await store.remove('one');
  expect((await store.list()).map(({ name }) => name)).toEqual(['two']);
  await store.remove('two');
  expect(await readdir(store.folder)).toEqual([]);
  await expect(store.remove('two')).rejects.toThrow('There is no model two to remove.');
});

test('a download that broke off is listed with what completes it, and can be removed', async () => {
  const [curated] = curatedModels;
  if (!curated) throw new Error('The list is empty.');
  for (const wanted of [curated, { repo: 'me/mine', file: 'sub/Other-Q4.gguf' }]) {
    await mkdir(path.dirname(store.place(wanted)), { recursive: true });
    await writeFile(`${store.place(wanted)}.part`, 'half');
    await writeFile(`${store.place(wanted)}.part.etag`, '"1"');
  }

  expect(await store.partial()).toMatchObject([
    { name: 'Other-Q4', bytes: 4, wanted: { repo: 'me/mine', file: 'Other-Q4.gguf' } },
    { name: curated.name, bytes: 4, wanted: curated },
  ]);
  expect(await store.remove('other-q4')).toEqual([
    `${store.place({ repo: 'me/mine', file: 'Other-Q4.gguf' })}.part`,
  ]);
  await store.remove(curated.name);
  expect(await readdir(store.folder)).toEqual([]);
});

test('a model that is being downloaded is not removed', async () => {
  const file = store.place({ repo: 'me/mine', file: 'one.gguf' });
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.part`, 'half');
  const lock = await lockFile(file);

  await expect(store.remove('one')).rejects.toThrow('Another process is downloading one.');
  lock?.release();
  await store.remove('one');
  expect(await store.partial()).toEqual([]);
});

test('recommended names are unique, and each row says what it is good for', () => {
  expect(new Set(curatedModels.map(({ name }) => name)).size).toBe(curatedModels.length);
  expect(
    curatedModels.filter(({ good, license, file }) => !good || !license || !file.endsWith('.gguf')),
  ).toEqual([]);
});
