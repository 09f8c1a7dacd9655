// @module-tag soak
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { filesBelow } from '../../src/lib/files/files-below.ts';
import { aca } from '../support/aca.ts';
import { batchFolder } from '../support/batch.ts';
import { fleetLab, keysOfTasks, said } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';
import { fails, says } from '../support/model-server/script.ts';
import { hasRedis } from '../support/redis.ts';
import { caFile } from '../support/tls-server.ts';

const USER = 'worker on >s3cret/pass ~{aca:fleet:1}:* &* +@all -@admin -@dangerous +info'.split(' ');
const PASSWORD = encodeURIComponent('s3cret/pass');

describe.skipIf(!hasRedis)('the Redis server of a fleet', () => {
  test('with TLS and a user who may use nothing but the keys of the fleet', async () => {
    const lab = await fleetLab({
      redis: { tls: true, settings: ['--user', ...USER, '--requirepass', 'other'] },
      env: { NODE_EXTRA_CA_CERTS: caFile },
    });
    lab.env.AI_ASSISTANT_QUEUE_URL = lab.redis.url.replace('//', `//worker:${PASSWORD}@`);
    const worker = lab.worker();
    const { code, results, stderr } = await lab.submit([
      { id: 'one', prompt: 'run: touch new', repository: lab.url, labels: [] },
    ]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('1 of 1 task done') });
    expect(lab.pushes(results[0]?.branch)).toEqual([results[0]?.commit]);
    expect((await lab.fleet('status')).text).not.toContain('s3cret');
    expect(await worker.end('SIGTERM')).toBe(143);
    expect(
      worker.said() + stderr + readFileSync(path.join(await batchFolder(lab.space), 'batch.json')),
    ).not.toContain('s3cret');

    // Without the certificate of its authority.
    lab.env.NODE_EXTRA_CA_CERTS = '';
    const refused = await lab.fleet('status');
    expect(refused).toEqual({ code: 2, text: expect.stringMatching(/certificate.*\n.*NODE_EXTRA_CA_CERTS/) });
  });

  test('that refuses, is too old or is not there: one sentence, and the next step', async () => {
    const lab = await fleetLab({ redis: { settings: ['--requirepass', 'right'] } });
    const use = (url: string) => {
      lab.env.AI_ASSISTANT_QUEUE_URL = url;
      return lab.fleet('status');
    };
    const { url } = lab.redis;
    const old = await olderServer(Number(new URL(url).port));
    const cases: [url: string, text: RegExp][] = [
      [
        url.replace('//', '//:wrong@'),
        /^Cannot use the Redis server at redis:\/\/127.*WRONGPASS.*\nCheck user and password/,
      ],
      [url, /NOAUTH.*\nAdd the password to the URL/],
      [
        `redis://:right@127.0.0.1:${old}`,
        /its version is 5\.0\.14, and batches need 6\.2 or newer\.\nUpdate the server/,
      ],
      [
        `redis://127.0.0.1:${await freePort()}`,
        /^No answer from .* Trying for 10s…\nCannot use.*ECONNREFUSED.*\nCheck the URL and that it runs/,
      ],
      [
        'http://:secret@127.0.0.1',
        /^http:\/\/127\.0\.0\.1 is not the URL of a Redis server\.\nUse redis:\/\//,
      ],
      [
        `redis://:right@127.0.0.1:${new URL(url).port}/99`,
        /^Cannot use .*\/99: ERR DB index is out of range\.\nName a database that the server has/,
      ],
      [
        'redis://:p%4ss%zz@127.0.0.1:1',
        /^redis:\/\/127\.0\.0\.1:1 is not the URL of a Redis server\.\n.*%XX/,
      ],
      ['redis://:a/b@127.0.0.1:1', /^redis:\/\/127\.0\.0\.1:1 is not the URL of a Redis server\.\n.*%XX/],
    ];
    for (const [address, text] of cases)
      expect(await use(address)).toEqual({ code: 2, text: expect.stringMatching(text) });
    // A batch that cannot be queued does not exist.
    const submitted = await lab.submit([{ prompt: 'run: true' }], ['--queue', url]);
    expect(submitted).toEqual({ code: 2, results: [], stderr: expect.stringMatching(/^Cannot use.*NOAUTH/) });
    expect((await aca(lab.space, ['batch', '--list'], { env: lab.env })).stdout).toBe('No batches yet.\n');
  }, 120_000);

  test('that may lose tasks: every command says what to set', async () => {
    const lab = await fleetLab({
      redis: { durable: false, settings: ['--maxmemory-policy', 'allkeys-lru'] },
    });
    const { code, text } = await lab.fleet('status');

    expect(code).toBe(0);
    expect(text).toMatch(/maxmemory-policy allkeys-lru.*CONFIG SET maxmemory-policy noeviction/);
    expect(text).toMatch(/CONFIG SET appendonly yes/);
    await lab.client().config('SET', 'maxmemory-policy', 'noeviction');
    await lab.client().config('SET', 'appendonly', 'yes');
    expect((await lab.fleet('status')).text).not.toContain('Warning');
  });

  test('holds no prompt, path, answer or secret in clear', async () => {
    const lab = await fleetLab({
      model: {
        before: async ({ messages }) =>
          messages.some(({ text }) => text.includes('marked-poison'))
            ? fails(400, { message: 'marked-reason' })
            : undefined,
      },
    });
    const worker = lab.worker(['--labels', 'marked-label']);
    const { code } = await lab.submit(
      [
        { id: 'marked-poison', prompt: 'marked-poison', repository: lab.url },
        {
          id: 'marked-task',
          prompt: 'run: echo marked-prompt > marked-file',
          repository: lab.url,
          labels: ['marked-label'],
          checks: ['echo marked-check'],
          variables: { marked: 'marked-variable' },
        },
      ],
      ['--store', path.join(lab.space.home, 'marked-store')],
    );
    await worker.end('SIGTERM');

    // Its dead letter stays.
    expect(code).toBe(11);
    await lab.client().save();
    const files = filesBelow(lab.redis.folder);
    expect(files.map((file) => path.basename(file))).toContain('dump.rdb');
    const text = files.map((file) => readFileSync(file, 'latin1')).join('\n');
    expect(text).toContain('aca:fleet');
    const labels = createHash('sha256')
      .update(JSON.stringify(['marked-label']))
      .digest('hex')
      .slice(0, 16);
    const machine = [`${hostname()}-`, 'src/fleet', '.ts:', labels];
    for (const word of ['marked', lab.space.home, 'remote.git', 'sk-ant-test', 'Did echo', ...machine])
      expect(text.includes(word) ? word : null).toBe(null);
  });

  test('that goes away: everybody says so, waits and goes on', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const lab = await fleetLab({ model: { before: () => gate.then(() => undefined) } });
    const worker = lab.worker();
    const ended = lab.submit([{ id: 'one', prompt: 'run: touch new', repository: lab.url }]);
    await said(worker, /one started/);
    await lab.redis.stop();
    open();
    await said(worker, /Lost the Redis server at redis:\/\/127.*Waiting for it/);
    await lab.redis.start();
    const { code, stderr, results } = await ended;

    expect(code).toBe(0);
    expect(stderr).toMatch(/Lost the Redis server[\s\S]*Connected to the Redis server again/);
    expect(lab.pushes(results[0]?.branch)).toEqual([results[0]?.commit]);
    expect(worker.said()).toContain('Connected to the Redis server again');
    expect(worker.said() + stderr).not.toMatch(/Warning|No answer/);

    // An idle worker leaves although the server is gone.
    await lab.redis.stop();
    await said(worker, /again[\s\S]*Lost the Redis server/);
    expect(await worker.end('SIGTERM')).toBe(143);
  });

  test('that lost tasks, whether they wait or run: each of them still ends once', async () => {
    const lab = await fleetLab();
    const ids = Array.from({ length: 8 }, (_, i) => `t${i}`);
    const ended = lab.submit(ids.map((id) => ({ id, prompt: `run: echo ${id} > new`, repository: lab.url })));
    const client = lab.client();
    const jobs = () => client.keys('*:tasks:????????????????????????????????');
    await expect.poll(async () => (await jobs()).length, { timeout: 30_000 }).toBe(ids.length);
    const [first, second, third] = (await jobs()).toSorted();
    // As after a restart without the last of its data.
    await client.del(first ?? '', second ?? '');
    const worker = lab.worker(['--concurrency', '2']);
    await said(worker, /started/);
    await lab.redis.stop();
    await lab.redis.start();
    await client.del(third ?? '', ...(await client.keys('*:fleet:1}:task:*')));
    const { code, stderr, results } = await ended;

    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stderr).toMatch(/The Redis server lost \d tasks? of this batch\. Queued again\./);
    expect(results.map(({ task }) => task).toSorted()).toEqual(ids);
    for (const { branch, commit } of results) expect(lab.pushes(branch)).toEqual([commit]);
    // The next looks for stalled tasks remove what is left of those that were lost.
    const ofTasks = async () => (await keysOfTasks(client)).filter((key) => !/:workers?(:|$)/.test(key));
    await expect.poll(ofTasks, { timeout: 60_000 }).toEqual([]);
    await worker.end('SIGTERM');
    expect(await keysOfTasks(client)).toEqual([]);
  });

  test('that lost everything: the batch says how to go on', async () => {
    const lab = await fleetLab({ redis: { durable: false }, model: { before: async () => says('No.') } });
    const ended = lab.submit([{ id: 'one', prompt: 'run: touch new', repository: lab.url }]);
    const client = lab.client();
    await expect.poll(() => client.keys('*:jobs'), { timeout: 30_000 }).toHaveLength(1);
    await client.flushall();
    const { code, stderr } = await ended;

    expect(code).toBe(2);
    expect(stderr).toMatch(/no longer in the queue.*\n.*aca batch --resume/);
    const [, id = ''] = /Batch (\S+):/.exec(stderr) ?? [];
    lab.worker();
    expect(await lab.resume(id)).toMatchObject({ code: 0 });
  });
});

/** A proxy in front of a server that makes it look older. */
async function olderServer(port: number): Promise<number> {
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    socket.pipe(upstream);
    upstream.on('data', (data) =>
      socket.write(
        data.toString('latin1').replace(/redis_version:7\.\d\.\d\d/, 'redis_version:5.0.14'),
        'latin1',
      ),
    );
    socket.on('error', () => undefined).on('close', () => upstream.destroy());
    upstream.on('error', () => undefined).on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
