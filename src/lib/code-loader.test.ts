import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { CodeLoader } from './code-loader.ts';
import { CodeStore } from './code-store.ts';

const require = createRequire(import.meta.url);
const fingerprints = { 'main.cjs': 'm1', 'part.cjs': 'p1', 'late.cjs': 'l1' };
const code = {
  'main.cjs': `"use strict";
const { twice } = require('./parts/part.cjs');
exports.answer = twice(21);
exports.late = () => Promise.resolve().then(() => require('./parts/late.cjs'));
exports.fail = () => { throw new Error('on purpose'); };`,
  'parts/part.cjs': `exports.twice = (n) => n * 2; exports.where = [__filename, __dirname];`,
  'parts/late.cjs': `exports.sep = require('node:path').sep; exports.back = require('../main.cjs');
exports.own = module.outside('node:path');`,
};

type Main = {
  answer: number;
  late(): Promise<{ sep: string; back: Main; own: Promise<{ sep: string }> }>;
  fail(): never;
};

async function freshCode() {
  const { root } = await workspace(code);
  const home = path.join(root, 'kept');
  const open = (prints: Record<string, string> = fingerprints) => {
    const loader = new CodeLoader({ root, fingerprints: prints, store: new CodeStore(home, 'v1'), require });
    return { loader, main: loader.load('main.cjs') as Main };
  };
  const kept = async () => (await readdir(path.join(home, 'v1')).catch(() => [])).sort();
  return { root, home, open, kept };
}

describe('files of code', () => {
  test('are loaded once, with each other, with node’s own and with modules from outside', async () => {
    const { open } = await freshCode();
    const { main } = open();
    const late = await main.late();
    expect([main.answer, late.sep, late.back === main, (await late.own).sep]).toEqual([
      42,
      path.sep,
      true,
      path.sep,
    ]);
  });

  test('an error names the file and the place in it', async () => {
    const { root, open } = await freshCode();
    const { root: other } = await workspace({ 'main.cjs': 'null.x' });
    const loader = new CodeLoader({ root: other, fingerprints, store: null, require });
    expect(stackOf(() => open().main.fail())).toContain(`${path.join(root, 'main.cjs')}:5:30`);
    // Twice: a file that failed is no half of a file the second time.
    for (const _ of [1, 2])
      expect(stackOf(() => loader.load('main.cjs'))).toContain(`${path.join(other, 'main.cjs')}:1:6`);
  });
});

function stackOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.stack : undefined;
  }
  throw new Error('It did not fail.');
}

describe('compiled code', () => {
  test('is kept, and used by the next process as it is', async () => {
    const { root, home, open, kept } = await freshCode();
    open().loader.save();
    expect(await kept()).toEqual(['main.cjs.m1', 'part.cjs.p1']);
    // A second save would write anew what the engine had refused.
    const file = path.join(home, 'v1', 'main.cjs.m1');
    const before = await readFile(file);
    await utimes(file, 1, 1);
    const { loader, main } = open();
    loader.save();
    expect([main.answer, await readFile(file)]).toEqual([42, before]);
    expect(stackOf(() => main.fail())).toContain(`${path.join(root, 'main.cjs')}:5:30`);
    expect((await stat(file)).mtimeMs).toBe(1000);
  });

  test('of another content is another file, even where the length is the same', async () => {
    const { root, open, kept } = await freshCode();
    open().loader.save();
    await writeFile(path.join(root, 'main.cjs'), code['main.cjs'].replace('21', '99'));
    const { loader, main } = open({ ...fingerprints, 'main.cjs': 'm2' });
    loader.save();
    expect([main.answer, await kept()]).toEqual([198, ['main.cjs.m1', 'main.cjs.m2', 'part.cjs.p1']]);
  });

  test('that the engine refuses is compiled and kept anew', async () => {
    const { home, open } = await freshCode();
    new CodeStore(home, 'v1').write(new Map([['main.cjs.m1', Buffer.from('of another engine')]]));
    const { loader, main } = open();
    expect(main.answer).toBe(42);
    loader.save();
    expect(new CodeStore(home, 'v1').read('main.cjs.m1')?.length).toBeGreaterThan(100);
  });

  test('of a file that comes late is kept without touching the rest', async () => {
    const { home, open, kept } = await freshCode();
    open().loader.save();
    const file = path.join(home, 'v1', 'main.cjs.m1');
    await utimes(file, 1, 1);
    const { loader, main } = open();
    loader.save();
    await main.late();
    loader.save();
    expect(await kept()).toEqual(['late.cjs.l1', 'main.cjs.m1', 'part.cjs.p1']);
    expect((await stat(file)).mtimeMs).toBe(1000);
  });

  test('without a fingerprint is not kept', async () => {
    const { open, kept } = await freshCode();
    open({}).loader.save();
    expect(await kept()).toEqual([]);
  });
});
