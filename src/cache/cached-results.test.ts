import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as always, expect, onTestFinished, vi } from 'vitest';
import { settledFile } from '../../test/support/settled-file.ts';
import { bench } from '../../test/support/tool-context.ts';
import type { ToolContext, ToolResult } from '../contract/tool.ts';
import { ok } from '../contract/tool.ts';
import { isOnLocalDisk } from '../lib/files/local-disk.ts';
import { createCachedFiles } from './cached-files.ts';
import { CachedResults, type KeptCall } from './cached-results.ts';
import { TreeWatch } from './tree-watch.ts';

/** Nothing is cached on other systems. */
const test = always.skipIf(process.platform !== 'linux' || !isOnLocalDisk(tmpdir()));

function moment(): { came: Promise<void>; come(): void } {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come: () => come() };
}

/**
 * Reads and searches of a real folder, without the tools: a read is the file's text, a search the list of
 * matches.
 */
async function desk(files: Record<string, string>) {
  const { root, home, context } = await bench(files);
  const kept = createCachedFiles();
  const tree = new TreeWatch({
    root,
    home,
    cookies: path.join(home, 'cookies'),
    onChange: (file) => kept.changed(file),
    onFail: (why) => expect.fail(why),
  });
  onTestFinished(() => tree.close());
  await tree.walked();
  const results = new CachedResults({ kept, watchTree: () => tree });
  let runs = 0;
  const told: string[] = [];
  const call = (kind: KeptCall['kind'], target: string, own: Partial<ToolContext> = {}): KeptCall => ({
    kind,
    key: `${kind}:${target}`,
    target,
    context: { ...context, ...own },
    report: (what, outcome) => told.push(`${what} ${outcome}`),
  });
  const read = async (target: string, own: Partial<ToolContext> = {}): Promise<ToolResult> => {
    const one = call('read', target, own);
    const result = await results.through(one, async (hands) => {
      runs++;
      const { bytes } = await hands.read(target);
      return ok(Buffer.from(bytes).toString(), { metadata: { lines: 1 } });
    });
    return result;
  };
  const search = async (kind: 'glob' | 'grep', target: string): Promise<string> => {
    const { signal } = context;
    const result = await results.through(call(kind, target), async () => {
      runs++;
      const { lines } = await context.search.grep(
        { pattern: '.', path: target, mode: 'content' },
        { limit: 99, signal },
      );
      return ok(lines.sort().join('\n'));
    });
    return result.success ? result.output : result.error;
  };
  const inside = (name: string) => path.join(root, name);
  return { root, kept, tree, results, context, read, search, inside, told, runs: () => runs };
}

test('T16 H09 the same read twice runs once, with the same result', async () => {
  const { read, inside, results, runs, told } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  const first = await read('a.txt');
  await results.settled();
  expect(await read('a.txt')).toEqual(first);
  expect({ runs: runs(), told }).toEqual({
    runs: 1,
    told: ['checksum miss', 'read miss', 'checksum hit', 'read hit'],
  });
});

test('a cached read still counts as a read for its caller', async () => {
  const { read, inside, results, context } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  await read('a.txt');
  await results.settled();
  const seen = new Map<string, string>();
  await read('a.txt', { seen });
  const { sha256 } = await context.files.read('a.txt');
  expect([...seen]).toEqual([[inside('a.txt'), sha256]]);
});

test('changing a result does not affect other callers', async () => {
  const { read, inside, results } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  const first = await read('a.txt');
  if (first.metadata) first.metadata.lines = 99;
  await results.settled();
  const second = await read('a.txt');
  expect(second).toEqual(ok('alpha', { metadata: { lines: 1 } }));
  if (second.metadata) second.metadata.lines = 98;
  expect(await read('a.txt')).toEqual(ok('alpha', { metadata: { lines: 1 } }));
});

test('a read after an external edit sees it, even if size and mtime are restored', async () => {
  const { read, inside, results, runs } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  await read('a.txt');
  await results.settled();
  await writeFile(inside('a.txt'), 'omega');
  await utimes(inside('a.txt'), 1_768_000_000, 1_768_000_000);
  expect(await read('a.txt')).toEqual(ok('omega', { metadata: { lines: 1 } }));
  expect(runs()).toBe(2);
});

test('a file that has just changed is read, but not cached: it could change again undetected', async () => {
  const { read, inside, results, kept } = await desk({ 'a.txt': 'alpha' });
  await writeFile(inside('a.txt'), 'fresh');
  const { ctimeMs } = await stat(inside('a.txt'));
  vi.useFakeTimers({ now: ctimeMs + 20, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await read('a.txt');
  await results.settled();
  expect([kept.checksum.size, kept.read.size]).toEqual([0, 0]);
});

test('two concurrent identical reads run once', async () => {
  const { read, inside, runs } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  const both = await Promise.all([read('a.txt'), read('a.txt')]);
  expect(both).toEqual([ok('alpha', { metadata: { lines: 1 } }), ok('alpha', { metadata: { lines: 1 } })]);
  expect(runs()).toBe(1);
});

test('a waiting read runs again if the first one fails', async () => {
  const { results, inside, context } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  const call: KeptCall = { kind: 'read', key: 'k', target: 'a.txt', context, report: () => undefined };
  const first = results.through(call, () => Promise.reject(new Error('called off')));
  const second = results.through(call, async () => ok('mine'));
  await expect(first).rejects.toThrow('called off');
  expect(await second).toEqual(ok('mine'));
});

test('Y20 Z02 a read in progress during a write is not cached', async () => {
  const { results, kept, inside, context } = await desk({ 'a.txt': 'old' });
  await settledFile(inside('a.txt'));
  const call: KeptCall = { kind: 'read', key: 'k', target: 'a.txt', context, report: () => undefined };
  const at = { read: moment(), written: moment() };
  const reading = results.through(call, async (hands) => {
    const { bytes } = await hands.read('a.txt');
    at.read.come();
    await at.written.came;
    return ok(Buffer.from(bytes).toString());
  });
  await at.read.came;
  const seen: number[] = [];
  await results.around([inside('a.txt')], async () => {
    seen.push(kept.generation());
    await writeFile(inside('a.txt'), 'new');
  });
  seen.push(kept.generation());
  at.written.come();
  expect(await reading).toEqual(ok('old'));
  await results.settled();
  expect([kept.checksum.size, kept.read.size]).toEqual([0, 0]);
  expect(seen[1]).toBeGreaterThan(seen[0] ?? Number.POSITIVE_INFINITY);
});

test('before and after a call that may change anything, nothing is cached', async () => {
  const { read, search, inside, results, kept, tree } = await desk({ 'a.txt': 'alpha' });
  await settledFile(inside('a.txt'));
  await tree.settle();
  await read('a.txt');
  await search('grep', '.');
  await search('glob', '.');
  await results.settled();
  const sizes = () => [kept.checksum.size, kept.read.size, kept.glob.size, kept.grep.size];
  expect(sizes()).toEqual([1, 1, 1, 1]);
  await results.around(null, async () => expect(sizes()).toEqual([0, 0, 0, 0]));
});

test('H06 H08 a search is cached until something changes below it, however soon it is repeated', async () => {
  const { search, inside, results, runs, tree } = await desk({ 'src/a.txt': 'alpha', 'docs/b.txt': 'beta' });
  await tree.settle();
  const first = await search('grep', 'src');
  await results.settled();
  expect([await search('grep', 'src'), runs()]).toEqual([first, 1]);
  await writeFile(inside('src/a.txt'), 'omega');
  expect([await search('grep', 'src'), runs()]).toEqual(['src/a.txt:1:omega', 2]);
});

test('H08 a change elsewhere drops greps, and only the globs of its own folder', async () => {
  const { search, inside, results, kept, tree } = await desk({ 'src/a.txt': 'alpha', 'docs/b.txt': 'beta' });
  await tree.settle();
  for (const place of ['src', 'docs']) {
    await search('grep', place);
    await search('glob', place);
    await results.settled();
  }
  expect([kept.glob.size, kept.grep.size]).toEqual([2, 2]);
  await writeFile(inside('docs/b.txt'), 'gamma');
  await tree.settle();
  expect(kept.glob.entries().map(([key]) => key)).toEqual(['glob:src']);
  expect(kept.grep.size).toBe(0);
});

test('H08 a change of a file drops only its own checksum and reads', async () => {
  const { read, inside, results, kept, tree } = await desk({ 'a.txt': 'alpha', 'b.txt': 'beta' });
  await settledFile(inside('b.txt'));
  await tree.settle();
  await read('a.txt');
  await read('b.txt');
  await results.settled();
  await writeFile(inside('a.txt'), 'omega');
  await tree.settle();
  expect(kept.checksum.entries().map(([file]) => file)).toEqual([inside('b.txt')]);
  expect(kept.read.entries().map(([key]) => key)).toEqual(['read:b.txt']);
});

test('a folder that replaces another is not mistaken for it', async () => {
  const { read, search, inside, results, tree } = await desk({
    'src/a.txt': 'alpha',
    'other/a.txt': 'gamma',
  });
  await settledFile(inside('other/a.txt'));
  await tree.settle();
  await search('grep', 'src');
  await read('src/a.txt');
  await results.settled();
  await rename(inside('src'), inside('was'));
  await rename(inside('other'), inside('src'));
  expect(await search('grep', 'src')).toBe('src/a.txt:1:gamma');
  expect(await read('src/a.txt')).toEqual(ok('gamma', { metadata: { lines: 1 } }));
  expect(await readFile(inside('was/a.txt'), 'utf8')).toBe('alpha');
});
