import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { s3Server } from '../../../test/support/s3-server.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { openStore } from './result-store.ts';

/** The AWS libraries read the environment of the process. */
async function s3Store() {
  const { env, objects } = await s3Server();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { place: 's3://bucket/some/prefix/', env, names: () => [...objects.keys()] };
}

async function folderStore() {
  const { home } = await workspace();
  const place = path.join(home, 'store');
  return { place, env: {}, names: () => readdir(path.join(place, 'b1', 'patches')) };
}

describe.each([
  ['a folder', folderStore, ['1.patch', '2.patch']],
  ['S3', s3Store, ['bucket/some/prefix/b1/patches/1.patch', 'bucket/some/prefix/b1/patches/2.patch']],
] as const)('a store in %s', (_name, make, stored) => {
  test('keeps texts and files by name, and knows what is not there', async () => {
    const { place, env, names } = await make();
    const { home } = await workspace();
    const file = path.join(home, 'file');
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    await writeFile(file, bytes);
    const store = await openStore(place, env);
    onTestFinished(() => store.close());

    await store.put('b1/patches/1.patch', 'diff ä');
    await store.put('b1/patches/2.patch', { file });
    await store.put('b1/patches/1.patch', 'diff ö');

    expect(String(await store.get('b1/patches/1.patch'))).toBe('diff ö');
    expect(await store.get('b1/patches/2.patch')).toEqual(bytes);
    expect(await store.get('b1/patches/3.patch')).toBeNull();
    expect(await names()).toEqual(stored);
  });
});

test('S3 refuses a wrong key, and the store says so', async () => {
  const { place, env } = await s3Store();
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
  const store = await openStore(place, env);
  onTestFinished(() => store.close());
  await expect(store.put('a', 'b')).rejects.toThrow('SignatureDoesNotMatch');
});

test.each(['results', './results', 's3://', 'ftp://x'])('%s is no place for results', async (place) => {
  await expect(openStore(place, {})).rejects.toThrow(/is not a place for results|names no bucket/);
});
