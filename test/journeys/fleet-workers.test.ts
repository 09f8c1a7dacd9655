// @module-tag soak
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openFleet, sealText } from '../../src/fleet/queue/fleet.ts';
import { aca } from '../support/aca.ts';
import { gitIn } from '../support/batch.ts';
import { parseExposition } from '../support/exposition.ts';
import { fleetKey, fleetLab, keysOfTasks, said } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';
import { configure } from '../support/mcp.ts';
import { fails } from '../support/model-server/script.ts';
import { isInstalled } from '../support/on-path.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { hasRedis } from '../support/redis.ts';

const hasPromtool = isInstalled('promtool');

/** A door that is shut until it is opened. */
function door() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

describe.skipIf(!hasRedis)('workers of a fleet', () => {
  test('a stalled worker is fenced: when it wakes up, it pushes nothing, and stores nothing', async () => {
    const first = door();
    const lab = await fleetLab({
      model: { before: async () => void (lab.model.server.requests.length <= 2 && (await first.opened)) },
    });
    const stalled = lab.worker(['--concurrency', '2']);
    const store = path.join(lab.space.home, 'store');
    const ended = lab.submit(
      [
        { id: 'one', prompt: 'run: touch new', repository: lab.url },
        { id: 'two', prompt: 'run: touch new', repository: lab.space.root },
      ],
      ['--store', store],
    );
    await expect.poll(() => lab.model.server.requests.length).toBe(2);
    stalled.child.kill('SIGSTOP');
    const other = lab.worker();
    const { code, results } = await ended;
    const [one, two] = results.toSorted((a, b) => (a.task < b.task ? -1 : 1));
    const pushed = lab.pushes(one?.branch);
    first.open();
    stalled.child.kill('SIGCONT');
    await said(stalled, /one taken over[\s\S]*two taken over|two taken over[\s\S]*one taken over/);

    expect(code).toBe(0);
    expect(pushed).toEqual([one?.commit]);
    expect(lab.pushes(one?.branch)).toEqual(pushed);
    expect(lab.git('rev-parse', `refs/heads/${two?.branch}`)).toBe(two?.commit);
    const stored = readdirSync(store, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(path.join(store, name), 'utf8')));
    expect(new Set(stored.map(({ status, commit }) => `${status} ${commit}`))).toEqual(
      new Set([`done ${one?.commit}`, `done ${two?.commit}`]),
    );

    // The journal names the delivery, like the commit; an older one that resumes the session writes nothing.
    const session = one?.session ?? '';
    const journal = path.join(lab.space.home, '.ai-assistant', 'sessions', `${session}.jsonl`);
    const written = readFileSync(journal, 'utf8');
    expect(gitIn(lab.bare, 'log', '-1', '--format=%b', one?.branch ?? '')).toContain('delivery 2.');
    expect(written.match(/^\{"type":"fence".*$/gm)).toEqual(['{"type":"fence","token":2}']);
    const late = await aca(lab.space, ['-p', `--resume=${session}`, '--force-dir'], {
      env: { ...lab.env, AI_ASSISTANT_FENCE: '1' },
    });
    expect(late).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another worker has taken session'),
    });
    expect(readFileSync(journal, 'utf8')).toBe(written);
    expect([await stalled.end('SIGTERM'), await other.end('SIGTERM')]).toEqual([143, 143]);
    expect(await keysOfTasks(lab.client())).toEqual([]);
    expect(leftovers(lab.space.home)).toEqual([]);
  });

  test('what a killed worker left is removed by the next one on that machine', async () => {
    const first = door();
    const lab = await fleetLab({
      model: { before: async () => void (lab.model.server.requests.length === 1 && (await first.opened)) },
    });
    const killed = lab.worker();
    const ended = lab.submit([{ id: 'one', prompt: 'run: touch new', repository: lab.url }]);
    await expect.poll(() => lab.model.server.requests.length).toBe(1);
    await killed.end('SIGKILL');
    expect(leftovers(lab.space.home)).not.toEqual([]);
    // On another machine.
    const other = lab.worker([], {
      AI_ASSISTANT_HOME: path.join(lab.space.home, 'other'),
      XDG_CACHE_HOME: path.join(lab.space.home, 'other-cache'),
    });
    expect(await ended).toMatchObject({ code: 0 });
    first.open();
    await other.end('SIGTERM');
    expect(leftovers(lab.space.home)).not.toEqual([]);
    const next = lab.worker();
    await said(next, /takes tasks/);
    const [, own = ''] = /Worker (\S+) takes/.exec(next.said()) ?? [];
    // It has a folder of its own while it runs.
    await expect.poll(() => leftovers(lab.space.home).filter((name) => !name.includes(own))).toEqual([]);
    await next.end('SIGTERM');
    expect(leftovers(lab.space.home)).toEqual([]);
  });

  test('the branch of a worker that was killed when it had pushed it is in the result, even if nothing is left to push', async () => {
    const lab = await fleetLab();
    const trees = path.join(lab.space.home, 'trees');
    const killed = lab.worker(['--trees', trees]);
    const hook = path.join(lab.bare, 'hooks', 'post-receive');
    const loses = `find ${trees} -name new -delete; kill -9 ${killed.child.pid}`;
    writeFileSync(hook, `#!/bin/sh\n${loses}\n`, { mode: 0o755 });
    const ended = lab.submit([{ id: 'one', prompt: 'run: touch new', repository: lab.url }]);
    await expect.poll(() => killed.child.signalCode, { timeout: 60_000 }).toBe('SIGKILL');
    lab.worker(['--trees', trees]);
    const { code, results } = await ended;
    const [branch = ''] = results.map((result) => result.branch);
    expect({ code, results }).toMatchObject({ code: 0, results: [{ commit: lab.pushes(branch)[0] }] });
    expect(lab.pushes(branch)).toHaveLength(1);
  });

  test('SIGTERM ends taking tasks; after the grace period running ones are handed back and go on elsewhere', async () => {
    const first = door();
    const lab = await fleetLab({
      model: { before: async () => void (lab.model.server.requests.length === 1 && (await first.opened)) },
    });
    const leaving = lab.worker(['--grace', '1', '--concurrency', '1']);
    const ended = lab.submit([
      { id: 'one', prompt: 'run: touch new', repository: lab.url },
      { id: 'two', prompt: 'run: touch two', repository: lab.url },
    ]);
    await expect.poll(() => lab.model.server.requests.length).toBe(1);
    expect(await leaving.end('SIGTERM')).toBe(143);
    expect(leaving.said()).toMatch(/Draining[\s\S]*one handed back[\s\S]*Stopped/);
    expect(leaving.said()).not.toContain('two started');
    const next = lab.worker();
    const { code, results } = await ended;

    expect(code).toBe(0);
    for (const { branch, commit } of results) expect(lab.pushes(branch)).toEqual([commit]);
    // `aca fleet drain` has the same effect on all.
    expect((await lab.fleet('drain', 'nobody')).text).toMatch(/There is no worker nobody/);
    expect((await lab.fleet('drain')).text).toBe('Draining 1 worker.\n');
    await said(next, /Stopped\./);
  });

  test('that fail one task after the other for reasons of their own pause, say so, and leave the rest to others', async () => {
    const lab = await fleetLab();
    const broken = lab.worker(['--concurrency', '1']);
    await said(broken, /takes tasks/);
    const fleet = path.join(lab.space.home, '.ai-assistant', 'fleet');
    const own = () =>
      readdirSync(fleet, { recursive: true, encoding: 'utf8' }).find((name) => /workers\/[^./]+$/.test(name));
    await expect.poll(own).toBeDefined();
    const folder = path.join(fleet, own() ?? '');
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    const tasks = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({
      id,
      prompt: `run: touch ${id}`,
      repository: lab.url,
    }));
    const ended = lab.submit(tasks);
    await said(broken, /Paused for 3s, because the last tasks all failed: E[A-Z]+:/);
    expect((await lab.fleet('status')).text).toMatch(/paused: E[A-Z]+:/);
    await broken.end('SIGKILL');
    rmSync(folder);
    lab.worker(['--concurrency', '2']);

    expect(await ended).toMatchObject({ code: 0 });
    expect([...lab.model.orders.values()]).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('start from the commit that a URL and ref named when the batch began', async () => {
    const lab = await fleetLab();
    const tasks = ['one', 'two'].map((id) => ({
      id,
      prompt: `run: touch ${id}`,
      repository: lab.url,
      ref: 'main',
    }));
    const ended = lab.submit([
      ...tasks,
      { id: 'far', prompt: 'run: true', repository: 'https://127.0.0.1:1/x.git' },
    ]);
    const client = lab.client();
    await expect.poll(() => client.keys('*:jobs'), { timeout: 30_000 }).toHaveLength(1);
    const first = lab.git('rev-parse', 'HEAD');
    lab.git('commit', '--allow-empty', '-qm', 'later');
    lab.git('push', '-q', lab.bare, 'main');
    for (const name of ['a', 'b'])
      lab.worker(['--concurrency', '1', '--trees', path.join(lab.space.home, name)]);
    const { stderr, results } = await ended;

    expect(stderr).toMatch(
      /127\.0\.0\.1:1\/x\.git could not be fetched.*start from what HEAD is when they are fetched/,
    );
    for (const { branch } of results.filter(({ task }) => task !== 'far'))
      expect(gitIn(lab.bare, 'rev-parse', `${branch}~1`)).toBe(first);
    expect(results.find(({ task }) => task === 'far')).toMatchObject({ status: 'failed', failure: 'setup' });
  });

  test('trust no settings, hooks or servers of the repositories they check out', async () => {
    const lab = await fleetLab({
      files: {
        'a.txt': 'alpha\n',
        '.ai-assistant/settings.json': JSON.stringify({
          hooks: {
            PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'touch "$HOME/hooked"' }] }],
          },
          mcpServers: { planted: { command: 'sh', args: ['-c', 'touch "$HOME/served"'] } },
        }),
      },
    });
    lab.worker([], { AI_ASSISTANT_TRUST: '1' });
    const { code, results } = await lab.submit([
      {
        id: 'one',
        prompt: 'run: echo "[$AI_ASSISTANT_QUEUE_URL$AI_ASSISTANT_REDIS_KEY]" > seen',
        repository: lab.url,
      },
    ]);

    expect(code).toBe(0);
    for (const name of ['hooked', 'served']) expect(existsSync(path.join(lab.space.home, name))).toBe(false);
    expect(lab.show(`${results[0]?.branch}:seen`)).toBe('[]');
  });

  test('a worker of another version, or with another key, leaves a task to others', async () => {
    const lab = await fleetLab();
    const fleet = await openFleet({ url: lab.redis.url, key: fleetKey });
    const queue = await fleet.queue([]);
    const text = JSON.stringify({ version: '99.1.0', batch: 'b', task: { id: 'one', shape: 'new' } });
    await queue.add('task', { sealed: sealText(fleet.seal, 'newer', text) }, { jobId: 'newer' });
    await queue.add('task', { sealed: 'AAAA' }, { jobId: 'other' });
    const worker = lab.worker();
    await said(worker, /queued by aca 99\.1\.0, and this worker is aca .*Use the same version everywhere/);
    await said(worker, /queued with another AI_ASSISTANT_REDIS_KEY/);

    expect(await queue.getJobCountByTypes('wait', 'active', 'delayed')).toBe(2);
    await fleet.close();
    expect(await lab.submit([{ id: 'one', prompt: 'run: touch new', repository: lab.url }])).toMatchObject({
      code: 0,
    });
  });

  test('Prometheus gets the depth of the queue, waits and failures; one trace connects a batch and its tasks', async () => {
    const collector = await startOtlpReceiver();
    const lab = await fleetLab({
      env: {
        AI_ASSISTANT_TELEMETRY: '1',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
    });
    const port = await freePort();
    const worker = lab.worker(['--metrics-port', String(port)]);
    const { code } = await lab.submit([
      { id: 'good', prompt: 'run: touch new', repository: lab.url },
      { id: 'bad', prompt: 'run: touch new', repository: lab.url, checks: ['false'], checkRetries: 0 },
    ]);
    const { samples } = parseExposition(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());

    expect(code).toBe(11);
    expect(Object.fromEntries(samples)).toMatchObject({
      'fleet_queue_tasks{labels="",state="waiting"}': 0,
      'fleet_queue_tasks{labels="",state="active"}': 0,
      fleet_workers: 1,
      fleet_task_wait_seconds_count: 2,
      fleet_task_duration_seconds_count: 2,
      'fleet_tasks_total{end="done"}': 1,
      'fleet_tasks_total{end="check"}': 1,
    });
    await worker.end('SIGTERM');
    const whole = collector.spans.find(({ name }) => name === 'batch');
    const runs = collector.spans.filter(({ parentSpanId }) => parentSpanId === whole?.spanId);
    expect(whole?.attributes).toMatchObject({ 'aca.batch.tasks': 2 });
    // Checks run after the model is done.
    const [agent, check] = ['invoke_agent ai-code-assistant', 'execute_tool Bash'];
    expect(runs.map(({ name }) => name).toSorted()).toEqual([check, agent, agent]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([whole?.traceId]));
  });

  test('Prometheus gets how many tasks wait, run and were given up, in a format that it accepts', async () => {
    const { open, opened } = door();
    const lab = await fleetLab({ model: { before: () => opened.then(() => undefined) } });
    const port = await freePort();
    const worker = lab.worker(['--concurrency', '1', '--metrics-port', String(port)]);
    const gone = { id: 'gone', prompt: 'run: true', repository: `file://${lab.space.home}/nothing` };
    expect(await lab.submit([gone])).toMatchObject({ code: 11 });
    const tasks = ['a', 'b', 'c'].map((id) => ({ id, prompt: `run: touch ${id}`, repository: lab.url }));
    const ended = lab.submit([...tasks, { ...tasks[0], id: 'gpu', labels: ['gpu'] }]);
    const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const figures = async () => parseExposition(await scrape()).samples;
    const count = (state: string, labels = '') => `fleet_queue_tasks{labels="${labels}",state="${state}"}`;
    await said(worker, /\/[abc] started/);
    await expect
      .poll(async () => Object.fromEntries(await figures()), { timeout: 30_000 })
      .toMatchObject({
        [count('waiting')]: 2,
        [count('active')]: 1,
        [count('failed')]: 1,
        [count('waiting', 'gpu')]: 1,
        'fleet_tasks_total{end="setup"}': 1,
      });
    if (hasPromtool) {
      const checked = spawnSync('promtool', ['check', 'metrics'], {
        input: await scrape(),
        encoding: 'utf8',
      });
      const complaints = checked.stderr.split('\n').filter((line) => line !== '');
      // The name without the suffix is kept beside the one with it.
      expect(complaints.filter((line) => !line.includes('should have "_total" suffix'))).toEqual([]);
    }
    open();
    lab.worker(['--labels', 'gpu']);
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('a vendor that rejects requests slows everybody down', async () => {
    const times: number[] = [];
    const rejections = [6, 2, 2];
    const lab = await fleetLab({
      model: {
        before: async () => {
          const place = times.push(Date.now()) - 1;
          const retryAfter = rejections[place];
          if (retryAfter === undefined) return undefined;
          // One request of each worker is on its way when the vendor has enough.
          await vi.waitUntil(() => times.length >= rejections.length, { timeout: 200_000 });
          return fails(429, { retryAfter });
        },
      },
    });
    for (const _ of rejections) lab.worker(['--concurrency', '1']);
    const tasks = ['a', 'b', 'c'].map((id) => ({ id, prompt: `run: touch ${id}`, repository: lab.url }));
    expect(await lab.submit(tasks)).toMatchObject({ code: 0 });
    // Nobody sends anything while the vendor wants to be left alone, not even those it told to come back earlier.
    const [rejected = 0, next = 0] = times.slice(rejections.length - 1);
    expect(next - rejected).toBeGreaterThanOrEqual(5_900);
  });
});

describe.skipIf(!hasRedis)('a quota and a budget', () => {
  test('count for all workers together', async () => {
    const lab = await fleetLab();
    for (const _ of [1, 2, 3]) lab.worker(['--concurrency', '1']);
    const tasks = ['a', 'b', 'c', 'd'].map((id) => ({ id, prompt: `run: touch ${id}`, repository: lab.url }));
    const { code, stderr } = await lab.submit(tasks, ['--budget', '5 turns']);

    // Each task needs two requests.
    expect(lab.model.server.requests.length).toBeLessThanOrEqual(5);
    expect(code).not.toBe(0);
    const [, id = ''] = /Batch (\S+):/.exec(stderr) ?? [];
    expect(await lab.resume(id, '--budget', '20 turns')).toMatchObject({ code: 0 });
    expect(lab.model.server.requests).toHaveLength(8);
    expect(new Set(lab.model.orders.values())).toEqual(new Set([1]));
  });

  test('of requests per minute lets no worker send more, and those that wait can be cancelled', async () => {
    const lab = await fleetLab();
    await configure(lab.space, { quotas: { 'anthropic/*': { requestsPerMinute: 3 } } });
    for (const _ of [1, 2]) lab.worker(['--concurrency', '2']);
    const ended = lab.submit(
      ['a', 'b', 'c', 'd'].map((id) => ({ id, prompt: `run: touch ${id}`, repository: lab.url })),
    );
    await expect.poll(() => lab.model.server.requests.length).toBe(3);
    await sleep(3_000);
    expect(lab.model.server.requests).toHaveLength(3);
    const [{ batch }] = JSON.parse((await lab.fleet('status', '--json')).text).batches;
    expect(await lab.fleet('cancel', batch.id)).toMatchObject({ code: 0 });
    expect(await ended).toMatchObject({ code: 130 });
    expect(lab.model.server.requests).toHaveLength(3);
  });
});

/** What workers have on the disk of a machine. */
function leftovers(home: string): string[] {
  const under = (folder: string) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
  return [
    ...under(path.join(home, '.cache', 'aca')).filter((name) => /^(worktrees|repositories)\/./.test(name)),
    ...under(path.join(home, '.ai-assistant', 'fleet')).filter((name) =>
      /\.json$|\.lock|workers\/./.test(name),
    ),
  ];
}
