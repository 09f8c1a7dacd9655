// @module-tag soak
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { TaskResult } from '../../src/fleet/task.ts';
import { batch, gitIn, obedientModel, repository } from '../support/batch.ts';
import { fleetLab } from '../support/fleet.ts';
import { fails } from '../support/model-server/script.ts';
import { hasRedis } from '../support/redis.ts';

/** For models, for the store of results and for the queue: not for what tasks run. */
const SECRETS = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'marked-1',
  AWS_SESSION_TOKEN: 'marked-2',
  AWS_WEB_IDENTITY_TOKEN_FILE: '/marked-3',
  AWS_ROLE_ARN: 'arn:aws:iam::1:role/marked-4',
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'marked-5',
  AWS_PROFILE: 'marked-6',
  AWS_ENDPOINT_URL_S3: 'https://marked-7',
  AZURE_CLIENT_SECRET: 'marked-8',
  GOOGLE_APPLICATION_CREDENTIALS: '/marked-9.json',
  CLOUDSDK_AUTH_ACCESS_TOKEN: 'marked-10',
  REDIS_URL: 'redis://:marked-11@localhost',
  REDIS_PASSWORD: 'marked-12',
  OPENAI_API_KEY: 'marked-13',
  AI_ASSISTANT_API_KEY: 'sk-ant-test',
};
const OWN = { MY_SETTING: 'seen', DATABASE_URL: 'postgres://localhost/test' };
const TASK = { id: 'one', prompt: 'run: env > command.txt', checks: ['env > check.txt'] };

/** The variables that the command and the check of the task saw. */
function seenBy({ branch, commit }: Pick<TaskResult, 'branch' | 'commit'>, repository: string): string[][] {
  expect(branch).toBeDefined();
  return ['command.txt', 'check.txt'].map((name) =>
    gitIn(repository, 'show', `${commit}:${name}`)
      .split('\n')
      .map((line) => line.split('=')[0] ?? ''),
  );
}

function expectHidden(seen: string[][], more: string[] = []): void {
  for (const names of seen) {
    expect(names).toEqual(expect.arrayContaining(['PATH', ...Object.keys(OWN)]));
    expect(names.filter((name) => name in SECRETS || more.includes(name))).toEqual([]);
  }
}

test('commands and checks of a task on this machine see no credentials of the batch', async () => {
  const { space } = await repository({ 'a.txt': 'one\n' });
  const { env } = await obedientModel();
  await writeFile(path.join(space.root, 't.jsonl'), JSON.stringify(TASK));
  const { code, results } = await batch(space, ['t.jsonl'], { env: { ...env, ...SECRETS, ...OWN } });

  expect(code).toBe(0);
  expectHidden(seenBy(results[0] ?? {}, space.root));
});

describe.skipIf(!hasRedis)('commands and checks of a task in a queue', () => {
  test('see no credentials of the worker', async () => {
    const lab = await fleetLab({ env: { ...SECRETS, ...OWN } });
    lab.worker();
    const { code, results } = await lab.submit([{ ...TASK, repository: lab.url }]);

    expect(code).toBe(0);
    const queue = ['AI_ASSISTANT_QUEUE_URL', 'AI_ASSISTANT_REDIS_KEY', 'AI_ASSISTANT_REDIS_URL'];
    expectHidden(seenBy(results[0] ?? {}, lab.bare), queue);
  });
});

test('a vendor that rejects a request slows down all tasks of a batch, also without a budget', async () => {
  const times: number[] = [];
  const rejections = [6, 1, 1];
  const { space } = await repository({ 'a.txt': 'one\n' });
  const { env } = await obedientModel({
    before: async () => {
      const place = times.push(Date.now()) - 1;
      const retryAfter = rejections[place];
      if (retryAfter === undefined) return undefined;
      // One request of each task is on its way when the vendor has enough.
      await vi.waitUntil(() => times.length >= rejections.length, { timeout: 200_000 });
      return fails(429, { retryAfter });
    },
  });
  const tasks = ['a', 'b', 'c'].map((id) => JSON.stringify({ id, prompt: `run: touch ${id}` }));
  await writeFile(path.join(space.root, 't.jsonl'), tasks.join('\n'));

  expect(await batch(space, ['t.jsonl', '-j', '3'], { env })).toMatchObject({ code: 0 });
  // Nobody sends anything meanwhile, not even those that may come back earlier.
  const [rejected = 0, next = 0] = times.slice(rejections.length - 1);
  expect(next - rejected).toBeGreaterThanOrEqual(5_900);
});
