// @module-tag soak
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { batch, batchFolder, gitIn, obedientModel, repository } from '../support/batch.ts';
import { noMount, smallDisk } from '../support/crash/small-disk.ts';
import { leftAfter } from '../support/processes.ts';
import { freshFolder } from '../support/workspace.ts';

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
    `The disk is full: ${path.join(await batchFolder(space), 'results.jsonl')} could not be written, and the batch was stopped.\n` +
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

test.skipIf(noMount !== null)('changes for which the disk has no room are kept where they are', async () => {
  const parent = await freshFolder('aca-full-');
  const disk = smallDisk(parent, 32 * 1024 ** 2);
  const { space, git } = await repository({ 'a.txt': 'x\n' });
  const root = path.join(parent, 'project');
  gitIn(space.home, 'clone', '-q', space.root, root);
  const file = path.join(space.home, 't.jsonl');
  await writeFile(
    file,
    lines({ id: 'big', prompt: 'run: head -c 2000000 /dev/urandom > a.txt', repository: root }),
  );
  const { env, orders, server } = await obedientModel();
  disk.fill(3 * 1024 ** 2);

  const full = await batch(space, [file], { env });
  const [result] = full.results;
  expect(full.code).toBe(11);
  expect(result).toMatchObject({
    ...{ status: 'failed', failure: 'changes', turns: 2, answer: expect.stringContaining('Did head') },
    reason: expect.stringMatching(/^The disk is full: .* Free some space, and try again\.$/),
    worktree: expect.stringContaining('project.worktrees'),
  });
  expect(result?.costUsd).toBeGreaterThan(0);
  expect(full.stderr).toContain(`big: Its files are kept in ${result?.worktree}.`);
  const written = await readFile(path.join(result?.worktree ?? '', 'a.txt'));
  const asked = server.requests.length;

  disk.empty();
  const free = await batch(space, ['--resume', path.basename(await batchFolder(space)), '--retry-failed'], {
    env,
  });
  expect(free.results).toMatchObject([
    { status: 'done', filesChanged: 1, costUsd: result?.costUsd, session: result?.session },
  ]);
  expect([...orders.values(), server.requests.length]).toEqual([1, asked]);
  git('fetch', '-q', root, free.results[0]?.branch ?? '');
  const blob = execFileSync('git', ['show', 'FETCH_HEAD:a.txt'], { cwd: space.root, maxBuffer: 2 ** 23 });
  expect(blob.equals(written)).toBe(true);
  expect(existsSync(`${root}.worktrees`)).toBe(false);
});

test.skipIf(noMount !== null)(
  'a retry on a disk that is still full loses neither work nor money',
  async () => {
    const parent = await freshFolder('aca-full-');
    const disk = smallDisk(parent, 32 * 1024 ** 2);
    const { space, git } = await repository({ 'a.txt': 'x\n' });
    const root = path.join(parent, 'project');
    gitIn(space.home, 'clone', '-q', space.root, root);
    const file = path.join(space.home, 't.jsonl');
    const order = 'run: head -c 2000000 /dev/urandom > a.txt';
    await writeFile(file, lines({ id: 'big', prompt: order, repository: root, labels: ['x'.repeat(3_500)] }));
    const { env, orders, server } = await obedientModel();
    disk.fill(3 * 1024 ** 2);
    const [first] = (await batch(space, [file], { env })).results;
    expect(first).toMatchObject({ failure: 'changes' });
    const asked = server.requests.length;

    disk.empty();
    disk.fill(0);
    const again = ['--resume', '--retry-failed'];
    for (let i = 0; i < 2; i++) {
      const { results, stderr } = await batch(space, again, { env });
      const kept = { costUsd: first?.costUsd, session: first?.session, worktree: first?.worktree };
      expect(results).toMatchObject([{ status: 'failed', ...kept }]);
      expect(stderr).toContain(`big: Its files are kept in ${first?.worktree}.`);
    }

    disk.empty();
    const free = await batch(space, again, { env });
    expect(free.results).toMatchObject([{ status: 'done', filesChanged: 1, costUsd: first?.costUsd }]);
    expect([...orders.values(), server.requests.length]).toEqual([1, asked]);
    git('fetch', '-q', root, free.results[0]?.branch ?? '');
    expect(existsSync(`${root}.worktrees`)).toBe(false);
  },
);

test('what no patch can hold stays in the worktree, whatever runs next', async () => {
  const { space, git } = await repository({ 'a.txt': 'x\n', 'AGENTS.md': '@missing.md\n' });
  const file = path.join(space.home, 't.jsonl');
  const commit = 'git -C n add f && git -C n -c user.name=a -c user.email=b commit -qm x';
  const nests = `git init -q n && echo 1 > n/f && ${commit}`;
  const plain = { prompt: 'run: echo y > a.txt', repository: space.root };
  await writeFile(
    file,
    lines({ id: 'nests', prompt: `run: ${nests}`, repository: space.root, timeout: 100_000 }),
  );
  const { env } = await obedientModel();
  const first = await batch(space, [file], { env });
  const [nested] = first.results;
  expect(nested).toMatchObject({ status: 'done', leftOut: ['n'], filesChanged: 0 });
  expect(first.stderr).toContain(`nests: Its files are kept in ${nested?.worktree}.`);

  await writeFile(file, lines({ id: 'one', ...plain }, { id: 'two', ...plain }));
  const second = await batch(space, [file, '-j', '1'], { env });
  expect(second.code).toBe(0);
  // What every run warns of is said once.
  expect(second.stderr.match(/^.*missing\.md.*$/gm)).toEqual([
    expect.stringMatching(/^one: Skipped missing/),
  ]);
  expect(await readFile(path.join(nested?.worktree ?? '', 'n/f'), 'utf8')).toBe('1\n');
  expect(git('branch', '--list', 'aca/*').split('\n')).toHaveLength(2);
});

test('changes for which there can be no branch are kept, and the next try only makes the branch', async () => {
  const { space, git } = await repository({ 'a.txt': 'x\n' });
  const file = path.join(space.home, 't.jsonl');
  await writeFile(file, lines({ id: 'one', prompt: 'run: echo y > a.txt', repository: space.root }));
  let isFree = true;
  const { env, orders, server } = await obedientModel({
    async before() {
      if (isFree) git('branch', 'aca');
      isFree = false;
      return undefined;
    },
  });
  const refused = await batch(space, [file], { env });
  const [result] = refused.results;
  expect(refused.code).toBe(11);
  expect(result).toMatchObject({
    ...{ status: 'failed', failure: 'changes', filesChanged: 1, turns: 2 },
    reason: expect.stringMatching(/refs\/heads\/aca.*\. Fix that, and try again\.$/),
    answer: expect.stringContaining('Did echo'),
  });
  expect(result?.costUsd).toBeGreaterThan(0);
  expect(await readFile(result?.patch ?? '', 'utf8')).toContain('+y');
  const again = await batch(space, [file], { env });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('has a branch named aca') });

  git('branch', '-D', 'aca');
  const asked = server.requests.length;
  const retried = await batch(
    space,
    ['--resume', path.basename(await batchFolder(space)), '--retry-failed'],
    {
      env,
    },
  );
  const [kept] = retried.results;
  expect(kept).toMatchObject({ status: 'done', costUsd: result?.costUsd, session: result?.session });
  expect(git('show', `${kept?.branch}:a.txt`)).toBe('y');
  expect([...orders.values(), server.requests.length]).toEqual([1, asked]);
  expect(existsSync(`${space.root}.worktrees`)).toBe(false);
});
