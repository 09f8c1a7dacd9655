import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createCachedFiles } from '../src/cache/cached-files.ts';
import { CachedResults } from '../src/cache/cached-results.ts';
import { createFileTier } from '../src/cache/file-tier.ts';
import { createStore } from '../src/cache/store.ts';
import type { Tier } from '../src/cache/tier.ts';
import { TreeWatch } from '../src/cache/tree-watch.ts';
import type { ToolContext } from '../src/contract/tool.ts';
import { createFiles } from '../src/sandbox/files/files.ts';
import { createGuard } from '../src/sandbox/guard.ts';
import { read } from '../src/tools/read.ts';

type CacheRow = { what: string; ms: number; target?: string };

const REDIS = 'redis-server';
const ROUNDS = 200;
const FILES = 100;
const VALUE = 'x'.repeat(20_000);
/** 100 folders of 100 folders with 10 files each. */
const MAKE_TREE = `
const fs = require('node:fs');
for (let i = 0; i < 10000; i++) {
  const folder = process.argv[1] + '/d' + (i % 100) + '/e' + Math.floor(i / 100);
  fs.mkdirSync(folder, { recursive: true });
  for (let k = 0; k < 10; k++) fs.writeFileSync(folder + '/f' + k, '');
}`;

/**
 * The cost of a hit and a miss in each tier, the savings of repeated reads, and the cost of watching 100,000
 * files.
 */
export async function cacheRows(): Promise<CacheRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-cache-')));
  try {
    const watched = await watchRows(folder);
    return [
      ...watched,
      ...(await tierRows('memory', [])),
      ...(await tierRows('files', [createFileTier({ folder: path.join(folder, 'kept'), onTrouble })])),
      ...(await redisRows(folder)),
      ...(await readRows(folder)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function onTrouble(text: string): void {
  throw new Error(text);
}

async function tierRows(name: string, tiers: Tier[]): Promise<CacheRow[]> {
  const read = (value: unknown) => (typeof value === 'string' ? value : null);
  const fresh = () => createStore<string>({ kind: 'bench', limits: { max: ROUNDS }, tiers, read });
  const store = fresh();
  const miss = await perRound((i) => store.get(`key ${i}`, ''));
  for (let i = 0; i < ROUNDS; i++) store.set(`key ${i}`, VALUE, '');
  await store.written();
  // A store that has them in memory would not query the lower tiers.
  const asked = tiers.length > 0 ? fresh() : store;
  const hit = await perRound((i) => asked.get(`key ${i}`, ''));
  return [
    { what: `cache, ${name}: a miss`, ms: miss },
    { what: `cache, ${name}: a hit of 20 kB`, ms: hit },
  ];
}

async function redisRows(folder: string): Promise<CacheRow[]> {
  if (spawnSync(REDIS, ['--version']).status !== 0) return [];
  const { createRedisLine } = await import('../src/cache/redis-line.ts');
  const { createRedisTier } = await import('../src/cache/redis-tier.ts');
  const { createSeal } = await import('../src/cache/seal.ts');
  const port = 20_000 + (process.pid % 20_000);
  const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const server = spawn(REDIS, [...where, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
  await pause(1_000);
  const line = createRedisLine({ url: `redis://127.0.0.1:${port}`, onTrouble, maxWaitMs: 5_000 });
  try {
    return await tierRows('Redis', [createRedisTier(line, createSeal('a key for the benchmark'))]);
  } finally {
    await line.close();
    server.kill();
  }
}

/** A session that reads 100 files, then three in ten of them again, as real sessions do. */
async function readRows(folder: string): Promise<CacheRow[]> {
  const cwd = path.join(folder, 'project');
  await mkdir(cwd);
  const names = Array.from({ length: FILES }, (_, i) => `f${i}.ts`);
  for (const name of names) await writeFile(path.join(cwd, name), `const line = '${name}';\n`.repeat(800));
  await pause(100);
  const home = '/nonexistent';
  const guard = createGuard({ cwd, additionalDirectories: [], blockedPaths: [], allowedPaths: [], home });
  // Read uses nothing else of the context.
  const context = { cwd, files: createFiles({ guard, cwd }), seen: new Map() } as unknown as ToolContext;
  const kept = createCachedFiles();
  const results = new CachedResults({ kept, watchTree: () => null });
  let hits = 0;
  const keptRead = (name: string) =>
    results.through(
      {
        kind: 'read',
        key: name,
        target: name,
        context,
        report(kind, outcome) {
          if (kind === 'read' && outcome === 'hit') hits++;
        },
      },
      (files) => read.run({ file_path: name }, { ...context, files }),
    );
  const bare = await perRound((i) => read.run({ file_path: names[i % FILES] ?? '' }, context), FILES);
  const cold = await perRound((i) => keptRead(names[i] ?? ''), FILES);
  await results.settled();
  const again = names.filter((_, i) => i % 10 < 3);
  const warm = await perRound((i) => keptRead(again[i] ?? ''), again.length);
  const rate = Math.round((hits * 100) / (FILES + again.length));
  return [
    { what: 'cache: a read of 20 kB without it', ms: bare },
    { what: 'cache: the same, not kept yet', ms: cold },
    { what: `cache: the same, kept (${rate} % of all reads)`, ms: warm },
  ];
}

async function watchRows(folder: string): Promise<CacheRow[]> {
  const root = path.join(folder, 'wide');
  // In another process: memory left over from creating the tree would distort the measurement.
  execFileSync(process.execPath, ['-e', MAKE_TREE, root]);
  const before = process.memoryUsage().rss;
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  const cookies = path.join(folder, 'cookies');
  const tree = new TreeWatch({
    root,
    home: '/nonexistent',
    cookies,
    onChange: () => undefined,
    onFail: onTrouble,
  });
  await tree.walked();
  const { user, system } = process.cpuUsage(cpu);
  const wall = performance.now() - started;
  const megabytes = Math.round((process.memoryUsage().rss - before) / 1024 / 1024);
  const barrier = await perRound(() => tree.settle());
  tree.close();
  return [
    { what: `cache: 100,000 files watched (${megabytes} MB; under 100), until ready`, ms: wall },
    { what: 'cache: the same, work of the processor', ms: (user + system) / 1000 },
    { what: 'cache: to hear all news of them, before a search is given again', ms: barrier },
  ];
}

/** The median, because a single round may hit a busy moment of the machine. */
async function perRound(deed: (round: number) => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await deed(round);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}
