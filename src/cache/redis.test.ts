import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, redisServer } from '../../test/support/redis.ts';
import type { Quota } from '../contract/quota.ts';
import { createRedisLine } from './redis-line.ts';
import { createRedisQuota } from './redis-quota.ts';
import { createRedisTier } from './redis-tier.ts';
import { createSeal } from './seal.ts';

const KEY = 'a key of the user, long enough';
const name = { kind: 'llm', name: 'a'.repeat(64) };

function instance(url: string, { key = KEY, connectMs = 30_000 } = {}) {
  const told: string[] = [];
  const line = createRedisLine({ url, onTrouble: (text) => told.push(text), maxWaitMs: 30_000, connectMs });
  onTestFinished(() => line.close());
  return { line, tier: createRedisTier(line, createSeal(key)), told };
}

async function bareClient(url: string): Promise<Redis> {
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  return redis;
}

const refuses: Quota = { take: async () => 12_345 };
const { signal } = new AbortController();

describe.skipIf(!hasRedis)('[U11] a real Redis server', () => {
  test('values are shared between instances with the same key, and not with another key', async () => {
    const { url } = await redisServer();
    const [one, two, stranger] = [
      instance(url),
      instance(url),
      instance(url, { key: 'another key, as long as it' }),
    ];
    await one.tier.set(name, 'the value', 60_000);
    expect(await two.tier.get(name)).toBe('the value');
    expect(await stranger.tier.get(name)).toBeNull();
    expect([...one.told, ...two.told, ...stranger.told]).toEqual([]);
  });

  test('neither values nor their names are readable on the server, and all of them expire', async () => {
    const { url } = await redisServer();
    const { tier } = instance(url);
    await tier.set(name, 'sk-very-secret', 60_000);
    const redis = await bareClient(url);
    const keys = await redis.keys('*');
    expect(keys).toEqual([expect.stringMatching(/^aca:cache:1:llm:[0-9a-f]{64}$/)]);
    expect(keys[0]).not.toContain(name.name);
    const stored = await redis.getBuffer(keys[0] ?? '');
    expect(stored?.toString('latin1')).not.toContain('secret');
    expect(await redis.pttl(keys[0] ?? '')).toBeGreaterThan(0);
  });

  test('a value that was renamed or changed is ignored', async () => {
    const { url } = await redisServer();
    const { tier } = instance(url);
    const other = { kind: 'llm', name: 'b'.repeat(64) };
    await tier.set(name, 'mine', 60_000);
    await tier.set(other, 'yours', 60_000);
    const redis = await bareClient(url);
    const [first = '', second = ''] = await redis.keys('*');
    await redis.copy(first, second, 'REPLACE');
    expect([await tier.get(name), await tier.get(other)].filter((value) => value !== null)).toHaveLength(1);
    await redis.set(first, 'rubbish');
    await redis.set(second, Buffer.alloc(100, 7));
    expect([await tier.get(name), await tier.get(other)]).toEqual([null, null]);
  });

  test('killed and restarted: one warning, nothing thrown, and then it is used again', async () => {
    const server = await redisServer();
    const { tier, told } = instance(server.url);
    await tier.set(name, 'before', 60_000);
    await server.stop();
    for (let i = 0; i < 3; i++) {
      await tier.set(name, 'meanwhile', 60_000);
      expect(await tier.get(name)).toBeNull();
    }
    await server.start();
    for (let found: string | null = null; found !== 'after'; found = await tier.get(name)) {
      await tier.set(name, 'after', 60_000);
      await pause(20);
    }
    expect(told).toEqual([
      expect.stringContaining('Nothing is lost; it will be used again once it responds.'),
    ]);
  });

  test('[U14] instances share one count, and what does not fit waits until a minute has passed', async () => {
    const { url } = await redisServer();
    const [one, two] = [instance(url), instance(url)].map(({ line }) => createRedisQuota(line, refuses));
    const asked = {
      cost: { requests: 1, tokens: 400 },
      limits: { requestsPerMinute: 3, tokensPerMinute: 1000 },
    };
    const waits = [];
    for (const quota of [one, two, one, two]) waits.push(await quota?.take('vendor/model', asked, signal));
    expect(waits.slice(0, 2)).toEqual([0, 0]);
    for (const wait of waits.slice(2)) {
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60_001);
    }
    expect(await one?.take('vendor/other', asked, signal)).toBe(0);
    const small = { ...asked, cost: { requests: 1, tokens: 1 } };
    expect([
      await one?.take('vendor/model', small, signal),
      await two?.take('vendor/model', small, signal),
    ]).toEqual([0, expect.any(Number)]);
  });

  test('a call above the limit itself is admitted when nothing else counts', async () => {
    const { url } = await redisServer();
    const quota = createRedisQuota(instance(url).line, refuses);
    const huge = { cost: { requests: 1, tokens: 5_000 }, limits: { tokensPerMinute: 1000 } };
    expect(await quota.take('m', huge, signal)).toBe(0);
    expect(await quota.take('m', huge, signal)).toBeGreaterThan(0);
  });

  test('without the server the local count decides', async () => {
    const server = await redisServer();
    const quota = createRedisQuota(instance(server.url).line, refuses);
    const asked = { cost: { requests: 1, tokens: 1 }, limits: { requestsPerMinute: 9 } };
    expect(await quota.take('m', asked, signal)).toBe(0);
    await server.stop();
    expect(await quota.take('m', asked, signal)).toBe(12_345);
  });
});

test('an unresponsive server is waited for once, and reported once', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { tier, told } = instance(`redis://127.0.0.1:${port}`, { connectMs: 200 });
  expect(await tier.get(name)).toBeNull();
  expect(await tier.get(name)).toBeNull();
  expect(told).toHaveLength(1);
});
