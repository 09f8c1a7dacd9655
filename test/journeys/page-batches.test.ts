// @module-tag soak
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { batch, obedientModel, repository } from '../support/batch.ts';
import { fleetKey, startWorker } from '../support/fleet.ts';
import { served, shows } from '../support/page-run.ts';
import { hasRedis, redisServer } from '../support/redis.ts';
import { seriousViolations, signedInPage } from '../support/signed-in-page.ts';
import { useBrowser } from '../support/use-browser.ts';

const it = useBrowser();

test('the owner sees batches and their tasks, with states, reasons and sessions; a guest does not', async () => {
  const { space } = await repository({ 'a.txt': 'alpha\n' });
  const { env } = await obedientModel();
  const tasks = [
    { id: 'good', prompt: 'run: sed -i s/alpha/ALPHA/ a.txt', repository: space.root },
    { id: 'bad', prompt: 'run: touch <b>made', repository: space.root, checks: ['false'], checkRetries: 0 },
  ];
  const file = path.join(space.home, 't.jsonl');
  await writeFile(file, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  await batch(space, [file, '-j', '2'], { env });

  const server = await served(space, []);
  const { page, problems } = await signedInPage(it.browser, await server.link(), {
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('img', { name: '1 of 2 done, 1 failed' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.locator('.batch-card').click();
  const rows = page.locator('.task');
  await expect.poll(() => rows.count()).toBe(2);
  expect(await seriousViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('button', { name: 'Failed 1' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.locator('.task-prompt').textContent()).toBe('run: touch <b>made');
  expect(await rows.locator('.task-reason').textContent()).toContain('false');
  await page.getByRole('button', { name: 'Done 1' }).click();
  await expect.poll(() => rows.locator('.task-id').allTextContents()).toEqual(['good']);
  await rows.getByRole('link', { name: 'Session' }).click();
  await page.locator('.transcript').getByText('Did sed').waitFor();
  await shows(page, 'The folder of this session no longer exists');
  expect(await page.locator('.composer').count()).toBe(0);

  const guest = await signedInPage(it.browser, await server.invite('viewer', 'Eve'));
  expect(await guest.page.getByRole('link', { name: 'Batches' }).count()).toBe(0);
  await guest.page.goto(`${server.url}/#/batches`);
  await shows(guest.page, 'needs owner');
  expect([...problems, ...guest.problems]).toEqual([]);
});

test.skipIf(!hasRedis)(
  'the owner sees the queue of many machines: batches and workers, also after the server was away',
  async () => {
    const { space } = await repository({ 'a.txt': 'alpha\n' });
    const [redis, model] = await Promise.all([redisServer({ durable: true }), obedientModel()]);
    const queue = { AI_ASSISTANT_QUEUE_URL: redis.url, AI_ASSISTANT_REDIS_KEY: fleetKey };
    const env = { ...model.env, ...queue };
    const file = path.join(space.home, 't.jsonl');
    const tasks = [
      { id: 'later', prompt: 'run: touch made', labels: ['gpu'], checks: ['false'], checkRetries: 0 },
      { id: 'never', prompt: 'run: true', labels: ['other'] },
    ].map((task) => `${JSON.stringify({ ...task, repository: space.root })}\n`);
    await writeFile(file, tasks.join(''));
    const server = await served(space, [], { env: queue });
    const { page, problems } = await signedInPage(it.browser, await server.link(), {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('link', { name: 'Batches' }).click();
    await shows(page, 'No batches are queued.');
    await shows(page, 'No workers.');

    const worker = startWorker(space, ['--concurrency', '3', '--labels', 'linux'], env);
    const submitter = new AbortController();
    const submitted = batch(space, [file, '--queue', redis.url], {
      env,
      onSpawn: (child) => submitter.signal.addEventListener('abort', () => child.kill('SIGINT')),
    });
    await shows(page, '0 of 3 running');
    await shows(page, 'linux');
    await shows(page, '2 waiting');
    await page.getByRole('img', { name: '0 of 2 ended' }).waitFor();
    expect(await page.locator('.fleet').textContent()).not.toContain(fleetKey);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

    await page.locator('.fleet-batch').click();
    const rows = page.locator('.task');
    await expect.poll(() => rows.allTextContents()).toEqual(['Waitinglater', 'Waitingnever']);
    expect(await seriousViolations(page)).toEqual([]);
    const able = startWorker(space, ['--labels', 'gpu'], {
      ...env,
      AI_ASSISTANT_HOME: `${space.home}/other`,
    });
    await page.getByRole('button', { name: 'Failed 1' }).waitFor();
    expect(await rows.locator('.task-reason').textContent()).toContain('false');
    expect(await rows.first().locator('.task-facts').textContent()).toMatch(
      /\$\d.* · 1 file changed · aca\//,
    );
    await able.end('SIGTERM');
    await page.getByRole('link', { name: 'Back to batches' }).click();

    await worker.end('SIGTERM');
    await shows(page, 'No workers.');
    await redis.stop();
    await page.locator('.fleet .problem').waitFor();
    await redis.start();
    await shows(page, '1 waiting');
    await page.locator('.fleet .problem').waitFor({ state: 'detached' });
    submitter.abort();
    await submitted;
    expect(problems).toEqual([]);
  },
);
