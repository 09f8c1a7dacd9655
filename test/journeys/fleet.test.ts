// @module-tag soak
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitIn } from '../support/batch.ts';
import { fleetKey, fleetLab, keysOfTasks, said } from '../support/fleet.ts';
import { calls, fails } from '../support/model-server/script.ts';
import { hasRedis } from '../support/redis.ts';
import { s3Server } from '../support/s3-server.ts';

describe.skipIf(!hasRedis)('many machines', () => {
  test('workers take the tasks whose labels they have, and results come back; nothing stays behind', async () => {
    const lab = await fleetLab();
    const { space, git, bare, model } = lab;
    const store = path.join(space.home, 'store');
    const plain = lab.worker(['--concurrency', '2']);
    const special = lab.worker(['--labels', 'gpu,x', '--concurrency', '1']);
    const { code, results, stderr } = await lab.submit(
      [
        { id: 'here', prompt: 'run: sed -i s/alpha/ALPHA/ a.txt', repository: space.root },
        { id: 'there', prompt: 'run: touch new', repository: lab.url, labels: ['gpu'] },
      ],
      ['--store', store, '--queue', lab.redis.url],
    );

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^2 of 2 tasks done/m) });
    const [here, there] = results.toSorted((a, b) => (a.task < b.task ? -1 : 1));
    expect(git('show', `${here?.branch}:a.txt`)).toBe('ALPHA');
    git('apply', here?.patch ?? '');
    expect(gitIn(bare, 'rev-parse', `refs/heads/${there?.branch}`)).toBe(there?.commit);
    expect(special.said()).toContain('/there started');
    expect(plain.said()).not.toContain('/there started');
    const sessions = path.join(store, path.basename(path.dirname(here?.branch ?? '')), 'sessions');
    expect(readdirSync(sessions).map((name) => name.split('.')[0])).toEqual(['here', 'there']);
    expect([await plain.end('SIGTERM'), await special.end('SIGTERM')]).toEqual([143, 143]);
    expect(plain.said()).toContain('Stopped.');
    expect(await keysOfTasks(lab.client())).toEqual([]);
    expect(existsSync(`${space.root}.worktrees`)).toBe(false);
    expect(model.orders).toEqual(
      new Map([
        ['sed -i s/alpha/ALPHA/ a.txt', 1],
        ['touch new', 1],
      ]),
    );
  });

  test('a store that is down for a while gets everything later, and no task runs again for it', async () => {
    const s3 = await s3Server();
    s3.state.isDown = true;
    const lab = await fleetLab({ env: s3.env });
    const worker = lab.worker();
    const tasks = [{ id: 'one', prompt: 'run: touch new', repository: lab.url }];
    const patches = ['--changes', 'patch'];
    expect(await lab.submit(tasks, patches)).toEqual({
      code: 2,
      results: [],
      stderr: expect.stringMatching(/^The patches of tasks have no way back\.\nAdd --store FOLDER/m),
    });
    expect(await lab.submit([{ ...tasks[0], prompt: 'x'.repeat(300_000) }])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Task one is too large for the queue: 294 KB of at most 256 KB.'),
    });
    const ended = lab.submit(tasks, [...patches, '--store', 's3://bucket/some/prefix']);
    await said(worker, /Warning: .*one: The store does not answer, trying again/);
    s3.state.isDown = false;
    const { code, results } = await ended;

    expect(code).toBe(0);
    expect(readFileSync(results[0]?.patch ?? '', 'utf8')).toContain('b/new');
    expect([...lab.model.orders.values()]).toEqual([1]);
    const folders = [...s3.objects.keys()].map((name) => path.basename(path.dirname(name)));
    expect(folders.toSorted()).toEqual(['patches', 'results', 'sessions']);
  });

  test('a worker with the wrong key pauses at its first task, and leaves all of them to others', async () => {
    const lab = await fleetLab();
    const wrong = lab.worker([], { ...lab.env, AI_ASSISTANT_REDIS_KEY: 'a key of another fleet' });
    await said(wrong, /takes tasks from/);
    const submitted = lab.submit(
      ['one', 'two', 'three'].map((id) => ({ id, prompt: 'run: touch new', repository: lab.url })),
    );
    await said(wrong, /Paused for .*queued with another AI_ASSISTANT_REDIS_KEY/);
    expect((await lab.fleet('status')).text).toContain(
      '1 worker with another key or version cannot do these tasks.',
    );
    lab.worker();
    expect(await submitted).toMatchObject({ code: 0 });
  });

  test('a poisonous task ends in the dead-letter list with its reason; retried, its result is collected', async () => {
    let isBroken = true;
    const lab = await fleetLab({
      model: { before: async () => (isBroken ? fails(400, { message: 'no such thing' }) : undefined) },
    });
    const worker = lab.worker();
    const first = await lab.submit([{ id: 'one', prompt: 'run: touch new', repository: lab.url }]);
    const [, id = ''] = /Batch (\S+):/.exec(first.stderr) ?? [];

    expect(first).toMatchObject({ code: 11, results: [{ task: 'one', failure: 'model' }] });
    expect((await lab.fleet('status')).text).toMatch(
      new RegExp(`dead-letter list[\\s\\S]*${id}  one .*no such thing`),
    );
    lab.env.AI_ASSISTANT_REDIS_KEY = 'a key of another fleet';
    expect((await lab.fleet('status')).text).toMatch(
      /^No batches[\s\S]*^1 batch with another key or version cannot/m,
    );
    lab.env.AI_ASSISTANT_REDIS_KEY = fleetKey;
    const log = await lab.fleet('logs', id, 'one');
    expect(log.text).toMatch(/#1 .*again: [\s\S]*#2 .*again: [\s\S]*#3 .*dead letter: failed: model/);
    isBroken = false;
    expect(await lab.fleet('retry', id)).toEqual({ code: 0, text: 'Queued again: one\n' });
    await said(worker, /one finished, done/);
    const { code, results } = await lab.resume(id);
    expect({ code, results }).toMatchObject({ code: 0, results: [{ task: 'one', status: 'done' }] });
    expect(lab.pushes(results[0]?.branch)).toEqual([results[0]?.commit]);
    expect((await lab.fleet('status')).text).toContain('No batches.');
    await worker.end('SIGTERM');
    expect(await keysOfTasks(lab.client())).toEqual([]);
  });

  test('a push that a hook refuses loses nothing; retried, only the push is repeated', async () => {
    const lab = await fleetLab();
    const worker = lab.worker();
    const hook = path.join(lab.bare, 'hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho Not on a Friday. >&2\nexit 1\n', { mode: 0o755 });
    const store = path.join(lab.space.home, 'store');
    const task = { id: 'one', prompt: 'run: touch new', repository: lab.url };
    const first = await lab.submit([task], ['--store', store]);
    const [, id = ''] = /Batch (\S+):/.exec(first.stderr) ?? [];
    const [result] = first.results;

    expect(first.code).toBe(11);
    expect(result).toMatchObject({
      ...{ failure: 'changes', filesChanged: 1, turns: 2, answer: expect.stringContaining('Did touch') },
      reason: expect.stringMatching(
        /Could not push .*Not on a Friday\. \/ pre-receive hook declined\. Check/,
      ),
      worktree: expect.stringMatching(/^[^:]+:\//),
    });
    expect(result?.costUsd).toBeGreaterThan(0);
    expect(readFileSync(result?.patch ?? '', 'utf8')).toContain('b/new');
    const asked = lab.model.server.requests.length;
    rmSync(hook);
    expect(await lab.fleet('retry', id)).toMatchObject({ code: 0 });
    await said(worker, /one finished, done/);
    const { code, results } = await lab.resume(id);
    expect({ code, results }).toMatchObject({ code: 0, results: [{ costUsd: result?.costUsd }] });
    expect(lab.pushes(results[0]?.branch)).toEqual([results[0]?.commit]);
    expect([...lab.model.orders.values(), lab.model.server.requests.length]).toEqual([1, asked]);
    await worker.end('SIGTERM');
    expect(existsSync((result?.worktree ?? '').replace(/^[^:]+:/, ''))).toBe(false);
  });

  test('failed tasks that run again replace their branch, and what they spent before still counts', async () => {
    let order: string | null = null;
    const lab = await fleetLab({
      model: {
        before: async ({ messages }) =>
          order === null || messages.some(({ role }) => role === 'assistant')
            ? undefined
            : calls(['Bash', { command: order }]),
      },
    });
    const worker = lab.worker();
    const task = { id: 'one', prompt: 'run: touch new', repository: lab.url, checks: ['test -e second'] };
    // Two requests.
    const first = await lab.submit([{ ...task, checkRetries: 0 }], ['--budget', '3 turns']);
    const [, id = ''] = /Batch (\S+):/.exec(first.stderr) ?? [];
    expect(first).toMatchObject({ code: 11, results: [{ failure: 'check' }] });
    order = 'touch second';
    expect(await lab.resume(id, '--retry-failed')).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('The budget of the batch is used up'),
    });
    expect(lab.model.server.requests).toHaveLength(3);
    expect(await lab.fleet('cancel', id, '--remove')).toMatchObject({ code: 0 });
    expect((await lab.resume(id, '--retry-failed')).stderr).toContain('The budget of the batch is used up');
    expect(lab.model.server.requests).toHaveLength(3);
    const { code, results } = await lab.resume(id, '--retry-failed', '--budget', '9 turns');

    const [one, two] = [first.results[0], results[0]];
    expect({ code, two }).toMatchObject({ code: 0, two: { status: 'done', branch: one?.branch } });
    expect(lab.pushes(two?.branch)).toEqual([two?.commit, one?.commit]);
    expect(lab.show(`${two?.branch}:second`)).toBe('');
    await worker.end('SIGTERM');
    expect(await keysOfTasks(lab.client())).toEqual([]);
  });

  test('cancelled tasks end, whether they wait or run, and a resumed batch runs them', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const lab = await fleetLab({ model: { before: () => gate.then(() => undefined) } });
    const worker = lab.worker(['--concurrency', '1']);
    const ended = lab.submit([
      { id: 'runs', prompt: 'run: touch runs', repository: lab.url },
      { id: 'waits', prompt: 'run: touch waits', repository: lab.url },
    ]);
    await expect.poll(() => lab.model.server.requests.length).toBe(1);
    const [{ batch } = { batch: { id: '' } }] = JSON.parse(
      (await lab.fleet('status', '--json')).text,
    ).batches;

    for (const args of [['cancel'], ['retry'], ['logs']])
      expect(await lab.fleet(...args, 'nothing', 'x')).toEqual({
        code: 2,
        text: expect.stringMatching(/^There is no batch nothing in the queue\.\nRun `aca fleet status`/),
      });
    expect(await lab.fleet('cancel', batch.id)).toEqual({ code: 0, text: `Batch ${batch.id} cancelled.\n` });
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/runs: interrupted/);
    expect(stderr).toMatch(/waits: interrupted/);
    expect(stderr).toContain('The other tasks were cancelled.');
    open();
    const again = await lab.resume(batch.id);
    expect(again).toMatchObject({ code: 0 });
    for (const { branch, commit } of again.results) expect(lab.pushes(branch)).toEqual([commit]);
    await worker.end('SIGTERM');
    expect(await keysOfTasks(lab.client())).toEqual([]);
  });
});
