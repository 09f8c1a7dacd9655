import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { CodeStore } from './code-store.ts';

const posixTest = test.skipIf(process.platform === 'win32');

async function freshStore(generation = 'v1') {
  const { root } = await workspace();
  const home = path.join(root, 'code');
  return { home, folder: path.join(home, generation), store: new CodeStore(home, generation) };
}

const bytes = Buffer.from('compiled');
const aMonthAgo = new Date(Date.now() - 30 * 24 * 60 * 60 * 1000);

describe('compiled code on disk', () => {
  test('what was written is read by another process, and nothing else is', async () => {
    const { home, store } = await freshStore();
    store.write(new Map([['a', bytes]]));
    const later = new CodeStore(home, 'v1');
    expect([later.read('a'), later.read('b'), new CodeStore(home, 'v2').read('a')]).toEqual([
      bytes,
      undefined,
      undefined,
    ]);
  });

  test('a file that was damaged in any place, or cut, is not read', async () => {
    const { folder, home, store } = await freshStore();
    store.write(new Map([['a', bytes]]));
    const whole = await readFile(path.join(folder, 'a'));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(whole);
        damaged.writeUInt8(whole.readUInt8(at) ^ change, at);
        for (const content of [damaged, whole.subarray(0, at)]) {
          await writeFile(path.join(folder, 'a'), content);
          expect(new CodeStore(home, 'v1').read('a')).toBeUndefined();
        }
      }),
      { numRuns: 50 },
    );
  });

  posixTest('only its owner may write there; where others may, nothing is read or written', async () => {
    const { folder, home, store } = await freshStore();
    store.write(new Map([['a', bytes]]));
    const modes = await Promise.all([folder, path.join(folder, 'a')].map(async (f) => (await stat(f)).mode));
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
    await chmod(folder, 0o770);
    const open = new CodeStore(home, 'v1');
    open.write(new Map([['b', bytes]]));
    expect([open.read('a'), await readdir(folder)]).toEqual([undefined, ['a']]);
  });

  test('where no folder can be made, nothing is kept and nobody is told', async () => {
    const { root } = await workspace({ file: '' });
    const store = new CodeStore(path.join(root, 'file', 'code'), 'v1');
    store.write(new Map([['a', bytes]]));
    store.prune(() => false);
    expect(store.read('a')).toBeUndefined();
  });

  test('many writers at once leave whole files and nothing besides', async () => {
    const { folder, home } = await freshStore();
    const writers = Array.from({ length: 5 }, () => new CodeStore(home, 'v1'));
    for (const writer of writers) writer.write(new Map([['a', bytes]]));
    expect([writers[0]?.read('a'), await readdir(folder)]).toEqual([bytes, ['a']]);
  });

  test('what nobody wrote for a week goes, unless it is in use', async () => {
    const { folder, home, store } = await freshStore();
    store.write(new Map(['used', 'old', 'new'].map((name) => [name, bytes])));
    for (const name of ['old-version', 'new-version']) await mkdir(path.join(home, name));
    const aged = [path.join(folder, 'used'), path.join(folder, 'old'), path.join(home, 'old-version')];
    for (const file of [...aged, folder]) await utimes(file, aMonthAgo, aMonthAgo);
    store.prune((name) => name === 'used');
    expect([await readdir(home), await readdir(folder)]).toEqual([
      ['new-version', 'v1'],
      ['new', 'used'],
    ]);
  });
});
