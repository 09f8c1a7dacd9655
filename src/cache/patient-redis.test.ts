import { rm } from 'node:fs/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, type RedisServer, redisServer } from '../../test/support/redis.ts';
import { sweep } from '../../test/support/soak.ts';
import { newPatientRedis } from './patient-redis.ts';
import { createRedisBudget, openRedisBudget } from './redis-budget.ts';

type Admin = Redis;
/** Makes the server refuse; returns how to let it accept again. */
type Refusal = (admin: Admin, server: RedisServer) => Promise<() => Promise<unknown>>;

const set = (name: string, value: string, usual: string): Refusal => {
  return async (admin) => {
    await admin.config('SET', name, value);
    return () => admin.config('SET', name, usual);
  };
};

const REFUSALS: [string, RegExp, Refusal][] = [
  ['is full', /^OOM command not allowed/, set('maxmemory', '1mb', '0')],
  ['has too few replicas', /^NOREPLICAS /, set('min-replicas-to-write', '1', '0')],
  [
    'has become a replica',
    /^READONLY /,
    async (admin) => {
      await admin.replicaof('127.0.0.1', '1');
      return () => admin.replicaof('NO', 'ONE');
    },
  ],
  [
    'cannot save its data',
    /^MISCONF /,
    async (admin, { folder }) => {
      await admin.config('SET', 'save', '3600 1');
      await rm(folder, { recursive: true, force: true });
      await admin.bgsave();
      await expect.poll(() => admin.info('persistence')).toContain('rdb_last_bgsave_status:err');
      return () => admin.config('SET', 'stop-writes-on-bgsave-error', 'no');
    },
  ],
  [
    'loads its data',
    /^LOADING /,
    async (admin) => {
      await admin.eval(`for i = 1, 3000 do redis.call('SET', 'filler' .. i, i) end`, 0);
      await admin.config('SET', 'loading-process-events-interval-bytes', '1024');
      await admin.config('SET', 'key-load-delay', '1000');
      const loading = admin.call('DEBUG', 'RELOAD');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return () => loading;
    },
  ],
  [
    'runs a script for too long',
    /^BUSY /,
    async (admin) => {
      await admin.config('SET', 'busy-reply-threshold', '10');
      const busy = admin.duplicate();
      const running = busy.eval('while true do end', 0).catch(() => busy.disconnect());
      await expect.poll(() => admin.ping().catch((error: Error) => error.message)).toMatch(/BUSY/);
      return async () => {
        await admin.script('KILL');
        await running;
      };
    },
  ],
];

describe.skipIf(!hasRedis)('a Redis server that refuses commands', () => {
  sweep(REFUSALS, 3)(
    'because it %s: reported once, waited for, and every command is carried out',
    async (_, words, refuse) => {
      const server = await redisServer({ settings: ['--enable-debug-command', 'yes'] });
      const admin = new Redis(server.url);
      const said: (string | null)[] = [];
      const { redis, refusal } = await newPatientRedis(server.url, {
        probe: '{t}:probe',
        onRefusal: (reason) => void said.push(reason),
      });
      const connection = { connection: redis, prefix: '{t}' };
      const queue = new Queue('q', connection);
      const worker = new Worker('q', null, { ...connection, autorun: false });
      queue.on('error', () => undefined);
      worker.on('error', () => undefined);
      onTestFinished(() => {
        admin.disconnect();
        redis.disconnect();
      });
      redis.defineCommand('twice', { numberOfKeys: 1, lua: `return redis.call('INCRBY', KEYS[1], 2)` });
      const place = { redis, prefix: '{t}:b' };
      const budget = openRedisBudget({
        ...place,
        pacePrefix: '{t}:p',
        limits: [{ unit: 'usd', amount: 5 }],
        quotas: {},
        owner: 'o/1',
      });
      await createRedisBudget(place);
      await queue.add('first', {}, { jobId: 'first' });
      await redis.set('{t}:known', 'before');

      const accept = await refuse(admin, server);
      const outcomes = Promise.all([
        redis.set('{t}:a', '1'),
        (redis as unknown as { twice(key: string): Promise<number> }).twice('{t}:n'),
        budget.reserve('call', { usd: 2, tokens: 10, turns: 1 }),
        redis.multi().hset('{t}:h', 'field', '1').zadd('{t}:z', 1, 'one').get('{t}:known').exec(),
        redis.pipeline().incr('{t}:i').exec(),
        queue
          .addBulk(['one', 'two'].map((jobId) => ({ name: jobId, data: {}, opts: { jobId } })))
          .then((jobs) => jobs.map(({ id }) => id)),
        worker.getNextJob('token', { block: false }).then((job) => job?.id),
      ]);
      await expect.poll(() => refusal()).toMatch(words);
      // Several looks, and connections, later.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      await accept();

      expect(await outcomes).toEqual([
        'OK',
        2,
        true,
        [
          [null, 1],
          [null, 1],
          [null, 'before'],
        ],
        [[null, 1]],
        ['one', 'two'],
        'first',
      ]);
      await expect.poll(() => refusal()).toBeNull();
      expect(await queue.getJobCountByTypes('waiting', 'active')).toBe(3);
      expect((await budget.totals()).held).toEqual({ usd: 2, tokens: 10, turns: 1 });
      // Some commands wait for another pause; nothing more is said about them.
      expect(said).toEqual([expect.stringMatching(words), null]);
    },
  );

  test('an error in a command is not a refusal, nor is a text that looks like one', async () => {
    const server = await redisServer();
    const said: unknown[] = [];
    const { redis } = await newPatientRedis(server.url, {
      probe: '{t}:probe',
      onRefusal: (reason) => void said.push(reason),
    });
    onTestFinished(() => redis.disconnect());
    await redis.set('text', 'x');

    await expect(redis.incr('text')).rejects.toThrow('not an integer');
    await expect(redis.eval(`return redis.error_reply('GONE the READONLYX is OOM')`, 0)).rejects.toThrow(
      'GONE',
    );
    expect(await redis.multi().incr('text').set('text', 'READONLY y').exec()).toEqual([
      [expect.objectContaining({ message: expect.stringContaining('not an integer') })],
      [null, 'OK'],
    ]);
    expect(await redis.get('text')).toBe('READONLY y');
    expect(said).toEqual([]);
  });
});
