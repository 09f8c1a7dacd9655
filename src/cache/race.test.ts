// @module-tag soak
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as always, expect, onTestFinished } from 'vitest';
import { settledFile } from '../../test/support/settled-file.ts';
import { soak } from '../../test/support/soak.ts';
import { bench, makePipe } from '../../test/support/tool-context.ts';
import type { ToolContext } from '../contract/tool.ts';
import { ok } from '../contract/tool.ts';
import { isOnLocalDisk } from '../lib/files/local-disk.ts';
import { createCachedFiles } from './cached-files.ts';
import { CachedResults, type KeptCall } from './cached-results.ts';
import { TreeWatch } from './tree-watch.ts';

/** Nothing is cached on other systems. */
const test = always.skipIf(process.platform !== 'linux' || !isOnLocalDisk(tmpdir()));

const WRITER = path.resolve(import.meta.dirname, '../../test/support/outside-writer.mjs');
/** Allows for a machine that is busy with other tests. */
const MAX_WAIT_MS = 180_000;
const FOLDERS = ['', 'src/', 'src/deep/', 'docs/'];
const NAMES = FOLDERS.flatMap((folder) =>
  ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${folder}${name}.txt`),
);

/**
 * Another process that changes files. Waited for synchronously: notifications of the change are still pending
 * when it is done.
 */
function outsideWriter({ root, home }: { root: string; home: string }) {
  const [orders, answers] = [path.join(home, 'orders'), path.join(home, 'answers')];
  for (const pipe of [orders, answers]) makePipe(pipe);
  const child = spawn(process.execPath, [WRITER, root, orders, answers], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [ordering, answering] = [openSync(orders, 'w'), openSync(answers, 'r')];
  onTestFinished(() => {
    for (const pipe of [ordering, answering]) closeSync(pipe);
    child.kill();
  });
  return (...order: string[]) => {
    writeSync(ordering, JSON.stringify(order));
    if (readSync(answering, Buffer.alloc(1)) === 0) expect.fail('The writer ended.');
  };
}

/** Seeded random numbers, so that a failure can be reproduced. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function desk() {
  const space = await bench(Object.fromEntries(NAMES.map((name) => [name, 'begin\n'])));
  const { root, home, context } = space;
  const kept = createCachedFiles();
  const watchTree = () => {
    const onFail = (why: string) => expect.fail(why);
    const onChange = (file: string | null) => kept.changed(file);
    const tree = new TreeWatch({ root, home, cookies: path.join(home, 'cookies'), onChange, onFail });
    onTestFinished(() => tree.close());
    return tree;
  };
  let tree: TreeWatch | null = null;
  const results = new CachedResults({ kept, watchTree: () => tree });
  const hits = { read: 0, glob: 0, grep: 0 };
  const through = (kind: KeptCall['kind'], target: string, run: Parameters<CachedResults['through']>[1]) =>
    results.through(
      {
        kind,
        key: `${kind}:${target}`,
        target,
        context,
        report(of, outcome) {
          if (outcome === 'hit' && of === kind) hits[kind]++;
        },
      },
      run,
    );
  const watched = async () => {
    tree = watchTree();
    await tree.walked();
    return tree;
  };
  return { root, context, results, watched, through, hits, write: outsideWriter(space) };
}

const grepAll = (place: string, { search, signal }: ToolContext) =>
  search
    .grep({ pattern: '.', path: place, mode: 'content' }, { limit: 99, signal })
    .then(({ lines }) => lines.sort().join('\n'));
const globAll = (place: string, { search, signal }: ToolContext) =>
  search.files('**', place, { limit: 99, signal }).then(({ paths }) => paths.sort().join('\n'));

test('a read after an external change is never stale, in thousands of changes and reads', {
  ...soak,
  timeout: MAX_WAIT_MS,
}, async () => {
  const { root, through, write, hits, results } = await desk();
  const pick = numbers(1);
  const stale: string[] = [];
  for (let step = 0; step < 2_000; step++) {
    const name = NAMES[pick(NAMES.length)] ?? 'a.txt';
    const action = ['inPlace', 'replace', 'disguised'][pick(3)] ?? 'inPlace';
    const isChanged = pick(2) === 0;
    const read = async () => {
      const result = await through('read', name, async (hands) =>
        ok(Buffer.from((await hands.read(name)).bytes).toString()),
      );
      return result.success ? result.output : result.error;
    };
    if (isChanged) {
      await read();
      write(action, name, `${String(step).padStart(5, '0')}\n`);
    }
    const truth = readFileSync(path.join(root, name), 'utf8');
    const said = [await read(), ...(await Promise.all([read(), read()]))];
    if (said.some((text) => text !== truth)) stale.push(`${step}: ${action} ${name}`);
  }
  expect(stale).toEqual([]);
  // Unchanged files are cached: the test above did not pass just because nothing is cached.
  await settledFile(path.join(root, 'a.txt'));
  const before = hits.read;
  for (const _ of [1, 2]) {
    await through('read', 'a.txt', async (hands) => ok(String((await hands.read('a.txt')).bytes)));
    await results.settled();
  }
  expect(hits.read).toBeGreaterThan(before);
});

test(
  'a search after an external change is never stale, however the tree is changed',
  async () => {
    const { through, write, context, results, hits, watched } = await desk();
    const tree = await watched();
    const pick = numbers(2);
    const stale: string[] = [];
    const look = async (place: string) =>
      JSON.stringify([
        await through('grep', place, async () => ok(await grepAll(place, context))),
        await through('glob', place, async () => ok(await globAll(place, context))),
      ]);
    const truth = async (place: string) =>
      JSON.stringify([ok(await grepAll(place, context)), ok(await globAll(place, context))]);
    for (let step = 0; step < 40; step++) {
      const folder = FOLDERS[pick(FOLDERS.length)] ?? '';
      const orders = [
        ['create', `${folder}new-${pick(3)}/x-${pick(3)}.txt`, `made ${step}\n`],
        ['create', `${folder}y-${pick(3)}.txt`, `made ${step}\n`],
        ['remove', `${folder}new-${pick(3)}`],
        ['move', `${folder}new-${pick(3)}`, `moved-${pick(2)}`],
        ['disguised', 'a.txt', `${String(step).padStart(5, '0')}\n`],
      ];
      const place = ['.', 'src', 'docs'][pick(3)] ?? '.';
      await look(place);
      await results.settled();
      write(...(orders[pick(orders.length)] ?? []));
      const said = await look(place);
      if (said !== (await truth(place))) stale.push(`${step}: ${place}`);
    }
    expect(stale).toEqual([]);
    await tree.walked();
    await tree.settle();
    const before = hits.grep;
    for (const _ of [1, 2]) {
      await look('.');
      await results.settled();
    }
    expect(hits.grep).toBeGreaterThan(before);
  },
  MAX_WAIT_MS,
);
