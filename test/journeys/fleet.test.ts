// @module-tag soak
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { batch, gitIn, obedientModel, repository } from '../support/batch.ts';
import { fleetKey, keysOfTasks, startWorker } from '../support/fleet.ts';
import { hasRedis, redisServer } from '../support/redis.ts';

const lines = (...tasks: object[]) => tasks.map((task) => `${JSON.stringify(task)}\n`).join('');

async function setUp({ durable = true } = {}) {
  const [{ space, git }, model, redis] = await Promise.all([
    repository({ 'a.txt': 'alpha\n' }),
    obedientModel(),
    redisServer({ durable }),
  ]);
  const env = { ...model.env, AI_ASSISTANT_QUEUE_URL: redis.url, AI_ASSISTANT_REDIS_KEY: fleetKey };
  const client = new Redis(redis.url);
  onTestFinished(() => client.disconnect());
  const file = path.join(space.home, 't.jsonl');
  const fleet = async (...args: string[]) => {
    const { code, stdout, stderr } = await aca(space, ['fleet', ...args], { env });
    return { code, text: stdout + stderr };
  };
  return { space, git, model, redis, env, client, file, fleet };
}

describe.skipIf(!hasRedis)('many machines', () => {
  test('workers take the tasks whose labels they have, and results come back; nothing stays behind', async () => {
    const { space, git, redis, env, client, file, model } = await setUp();
    const bare = path.join(space.home, 'remote.git');
    gitIn(space.home, 'clone', '-q', '--bare', space.root, bare);
    const store = path.join(space.home, 'store');
    await writeFile(
      file,
      lines(
        { id: 'here', prompt: 'run: sed -i s/alpha/ALPHA/ a.txt', repository: space.root },
        { id: 'there', prompt: 'run: touch new', repository: `file://${bare}`, labels: ['gpu'] },
      ),
    );
    const plain = startWorker(space, ['--concurrency', '2'], env);
    const special = startWorker(space, ['--labels', 'gpu,x', '--concurrency', '1'], env);
    const { code, results, stderr } = await batch(space, [file, '--queue', redis.url, '--store', store], {
      env,
    });

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^2 of 2 tasks done/m) });
    const [here, there] = results.toSorted((a, b) => (a.task < b.task ? -1 : 1));
    expect(git('show', `${here?.branch}:a.txt`)).toBe('ALPHA');
    git('apply', here?.patch ?? '');
    expect(gitIn(bare, 'rev-parse', `refs/heads/${there?.branch}`)).toBe(there?.commit);
    expect(special.said()).toContain('/there started');
    expect(plain.said()).not.toContain('/there started');
    expect(
      existsSync(path.join(store, path.basename(path.dirname(here?.branch ?? '')), 'sessions/here.jsonl')),
    ).toBe(true);
    expect([await plain.end('SIGTERM'), await special.end('SIGTERM')]).toEqual([143, 143]);
    expect(plain.said()).toContain('Stopped.');
    expect(await keysOfTasks(client)).toEqual([]);
    expect(existsSync(`${space.root}.worktrees`)).toBe(false);
    expect(model.orders).toEqual(
      new Map([
        ['sed -i s/alpha/ALPHA/ a.txt', 1],
        ['touch new', 1],
      ]),
    );
  });
});
