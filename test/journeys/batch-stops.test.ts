// @module-tag soak
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { batch, batchFolder, obedientModel, repository } from '../support/batch.ts';
import { noMount, smallDisk } from '../support/crash/small-disk.ts';
import { leftAfter } from '../support/processes.ts';

const lines = (...tasks: object[]) => tasks.map((task) => `${JSON.stringify(task)}\n`).join('');
const namesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
const locksIn = (folder: string) => namesIn(folder).filter((name) => name.includes('.lock'));

test.skipIf(noMount !== null)('a full disk stops a batch, which goes on when there is room', async () => {
  // A result longer than what is left of the last block of the file.
  const labels = ['x'.repeat(3_500)];
  const ids = ['a', 'b', 'c'];
  const { space, git } = await repository({
    't.jsonl': lines(...ids.map((id) => ({ id, prompt: `run: echo ${id} > new-${id}`, labels }))),
  });
  const root = path.join(space.home, '.ai-assistant');
  const disk = smallDisk(root, 16 * 1024 ** 2);
  let isFull = false;
  const { env, orders } = await obedientModel({
    async before({ messages }) {
      if (isFull || !messages.some(({ text }) => text.includes('echo b'))) return undefined;
      disk.fill(0);
      isFull = true;
      return undefined;
    },
  });

  const full = await batch(space, ['t.jsonl', '-j', '1'], { env });
  expect({ ...full, results: full.results.map(({ task }) => task) }).toMatchObject({
    code: 1,
    results: ['a'],
  });
  const id = path.basename(await batchFolder(space));
  expect(full.stderr).toContain(
    'The disk is full: results.jsonl could not be written, and the batch was stopped.\n' +
      `Free some space, then run: aca batch --resume ${id}\n`,
  );
  const results = path.join(await batchFolder(space), 'results.jsonl');
  const [kept = ''] = (await readFile(results, 'utf8')).split('\n');
  expect(JSON.parse(kept)).toEqual(full.results[0]);
  expect(orders.has('echo c > new-c')).toBe(false);

  disk.empty();
  const free = await batch(space, ['--resume'], { env });
  expect({ code: free.code, stderr: free.stderr }).toMatchObject({ code: 0 });
  expect(free.results).toMatchObject([
    { task: 'b', status: 'done', filesChanged: 1 },
    { task: 'c', status: 'done', filesChanged: 1 },
  ]);
  for (const { task, branch, patch } of [...full.results, ...free.results]) {
    expect(git('show', `${branch}:new-${task}`)).toBe(task);
    git('apply', '--check', patch ?? '');
  }
  expect((await readFile(results, 'utf8')).startsWith(`${kept}\n`)).toBe(true);
  expect([...locksIn(root), ...namesIn(`${space.root}.worktrees`)]).toEqual([]);
});

test('Ctrl-C while the checks of a task run ends them, and --resume goes on with the checks', async () => {
  const { space, git } = await repository({ '.gitignore': 'seen\n' });
  // Its child outlives it, unless the whole group ends.
  const sleep = `sleep 86397.${process.pid}`;
  const check = `test -e seen || { touch seen; ${sleep} & wait; }`;
  const tasks = path.join(space.home, 't.jsonl');
  await writeFile(tasks, lines({ id: 'x', prompt: 'run: touch made', checks: [check] }));
  const trees = `${space.root}.worktrees`;
  const isChecking = () => namesIn(trees).some((name) => name.endsWith('/tree/seen'));
  const { env, orders, server } = await obedientModel();
  const stopped = await batch(space, [tasks], {
    env,
    onSpawn: (child) =>
      void vi.waitUntil(isChecking, { timeout: 120_000, interval: 100 }).then(() => child.kill('SIGINT')),
  });
  expect(stopped).toMatchObject({ code: 130, results: [] });
  expect(stopped.stderr).toContain('Resume with: aca batch --resume');
  const root = path.join(space.home, '.ai-assistant');
  expect([...(await leftAfter(sleep, 20_000)), ...(await leftAfter(space.home, 20_000))]).toEqual([]);
  expect([...locksIn(root), ...locksIn(trees)]).toEqual([]);

  const asked = server.requests.length;
  const resumed = await batch(space, ['--resume'], { env });
  expect(resumed).toMatchObject({
    code: 0,
    results: [{ task: 'x', status: 'done', filesChanged: 1, checks: [{ exitCode: 0 }] }],
  });
  expect([server.requests.length, [...orders]]).toEqual([asked, [['touch made', 1]]]);
  expect(git('show', '--format=', '--name-only', resumed.results[0]?.branch ?? '')).toBe('made');
  expect([...locksIn(root), ...namesIn(trees)]).toEqual([]);
});
