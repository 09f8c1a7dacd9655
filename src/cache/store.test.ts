import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { createFileTier } from './file-tier.ts';
import { limitsOf } from './kinds.ts';
import { createSeal } from './seal.ts';
import { createStore } from './store.ts';

const asText = (value: unknown) => (typeof value === 'string' ? value : null);

test('[H02] [H03] [H06] the limits are as specified', () => {
  const minutes = ({ ttlMs = 0, max }: { ttlMs?: number; max: number }) => [ttlMs / 60_000, max];
  expect({
    checksum: minutes(limitsOf.checksum),
    llm: minutes(limitsOf.llm),
    glob: minutes(limitsOf.glob),
  }).toEqual({ checksum: [5, 1000], llm: [10, 100], glob: [0.5, 200] });
});

test('a value expires, the oldest are evicted, and another proof is a miss', async () => {
  let now = 1_000;
  const store = createStore<string>({ kind: 'k', limits: { ttlMs: 100, max: 2 }, now: () => now });
  store.set('a', '1', 'p');
  expect([await store.get('a', 'p'), await store.get('a', 'q')]).toEqual(['1', null]);
  store.set('b', '2', 'p');
  store.set('c', '3', 'p');
  expect(store.entries()).toEqual([
    ['c', '3'],
    ['b', '2'],
  ]);
  now += 101;
  expect([await store.get('b', 'p'), await store.get('c', 'p')]).toEqual([null, null]);
});

test('a value too large to be one of many is not cached', async () => {
  const limits = { max: 9, maxSize: 400 };
  const store = createStore<string>({ kind: 'k', limits, sizeOf: (text) => text.length });
  store.set('small', 'x'.repeat(90), '');
  store.set('large', 'x'.repeat(101), '');
  expect([await store.get('small', ''), await store.get('large', '')]).toEqual(['x'.repeat(90), null]);
});

test('[H01] [H07] values are shared between processes through files, readable only by the owner', async () => {
  const { home } = await workspace();
  const make = () => {
    const tier = createFileTier({ folder: home, onTrouble: (text) => expect.fail(text) });
    return createStore<string>({ kind: 'k', limits: { max: 9 }, tiers: [tier], read: asText });
  };
  const [one, two] = [make(), make()];
  one.set('key', 'value', 'proof');
  await one.written();
  expect([await two.get('key', 'proof'), await two.get('key', 'other'), two.size]).toEqual([
    'value',
    null,
    1,
  ]);
  const [name = ''] = await readdir(path.join(home, 'k'));
  expect((await stat(path.join(home, 'k', name))).mode & 0o777).toBe(0o600);
});

test('a damaged, truncated or expired file is a miss', async () => {
  const { home } = await workspace();
  const tier = createFileTier({ folder: home, onTrouble: (text) => expect.fail(text) });
  const key = { kind: 'k', name: 'n' };
  const file = path.join(home, 'k', 'n');
  await tier.set(key, 'a text', 60_000);
  expect(await tier.get(key)).toBe('a text');
  const whole = await readFile(file);
  for (const bad of [whole.subarray(0, -1), Buffer.from('a text'), Buffer.alloc(0)]) {
    await writeFile(file, bad);
    expect(await tier.get(key)).toBeNull();
  }
  await tier.set(key, 'a text', -1);
  expect(await tier.get(key)).toBeNull();
});

test('with too many files, those that expire first are removed', async () => {
  const { home } = await workspace();
  const tier = createFileTier({ folder: home, maxFiles: 50, onTrouble: (text) => expect.fail(text) });
  for (let i = 0; i < 101; i++) await tier.set({ kind: 'k', name: `n${i}` }, 'x', 60_000 + i * 1000);
  const left = await readdir(path.join(home, 'k'));
  expect(left).toHaveLength(45);
  expect(left).toContain('n100');
  expect(left).not.toContain('n0');
});

test('an unusable folder is reported once, and nothing is thrown', async () => {
  const { home } = await workspace();
  await writeFile(path.join(home, 'k'), '');
  const told: string[] = [];
  const tier = createFileTier({ folder: home, onTrouble: (text) => told.push(text) });
  for (const _ of [1, 2]) {
    await tier.set({ kind: 'k', name: 'n' }, 'x', 1000);
    expect(await tier.get({ kind: 'k', name: 'n' })).toBeNull();
  }
  expect(told).toHaveLength(1);
});

test('a sealed value opens with the same key and name, complete, and not otherwise', () => {
  const seal = createSeal('one key of the user');
  const other = createSeal('another key of his');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.nat(), (text, name, at) => {
      const sealed = seal.close(name, text);
      expect(seal.open(name, sealed)).toBe(text);
      expect([other.open(name, sealed), seal.open(`${name}!`, sealed)]).toEqual([null, null]);
      const broken = Buffer.from(sealed);
      const place = at % broken.length;
      broken.writeUInt8(broken.readUInt8(place) ^ 1, place);
      expect(seal.open(name, broken)).toBeNull();
      expect(seal.open(name, sealed.subarray(0, at % sealed.length))).toBeNull();
    }),
  );
});
