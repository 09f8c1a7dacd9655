import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, cleanEnv } from '../support/aca.ts';
import { batch, batchFolder, gitIn, obedientModel, recordedResults, repository } from '../support/batch.ts';
import { fails, hangs } from '../support/model-server/script.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { program } from '../support/program.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const lines = (...tasks: object[]) => tasks.map((task) => `${JSON.stringify(task)}\n`).join('');
const treesOf = (root: string) => `${root}.worktrees`;

test('tasks run side by side in worktrees; changes, checks, results and reports are kept', async () => {
  const { space, git } = await repository({ 'a.txt': 'alpha\n', 'b.txt': 'beta\n' });
  const { env } = await obedientModel();
  await writeFile(path.join(space.root, 'new.txt'), 'not committed');
  await writeFile(
    path.join(space.home, 't.jsonl'),
    lines(
      { id: 'good', prompt: 'run: sed -i s/alpha/ALPHA/ a.txt', repository: space.root, labels: ['x'] },
      {
        id: 'bad',
        prompt: 'run: touch made',
        repository: space.root,
        checks: ['test ! -e made'],
        checkRetries: 0,
      },
    ),
  );
  const { code, results, stderr } = await batch(space, [path.join(space.home, 't.jsonl'), '-j', '2'], {
    env,
  });

  expect(code).toBe(11);
  expect(stderr).toContain('1 uncommitted change');
  expect(stderr).toMatch(/^1 of 2 tasks done, 1 failed\./m);
  const [bad, good] = results.toSorted((a, b) => (a.task < b.task ? -1 : 1));
  expect(good).toMatchObject({
    status: 'done',
    answer: expect.stringContaining('Did sed'),
    filesChanged: 1,
    labels: ['x'],
  });
  expect(bad).toMatchObject({ status: 'failed', failure: 'check', checks: [{ exitCode: 1, attempts: 1 }] });
  // The user's files, index and branch stay as they were.
  expect(git('status', '--porcelain')).toBe('?? new.txt');
  expect(git('show', `${good?.branch}:a.txt`)).toBe('ALPHA');
  git('apply', good?.patch ?? '');
  expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe('ALPHA\n');
  expect(existsSync(treesOf(space.root))).toBe(false);
  const folder = await batchFolder(space);
  const report = await readFile(path.join(folder, 'report.md'), 'utf8');
  expect(report).toContain('1 of 2 tasks done, 1 failed');
  expect(report).toContain(`[${good?.session?.slice(0, 8)}](transcripts/good.html)`);
  expect(await readFile(path.join(folder, 'transcripts/good.html'), 'utf8')).toContain('Did sed');
});

test('one trace connects a batch and its tasks', soak, async () => {
  const { space } = await repository({ 'a.txt': 'alpha\n' });
  const { env } = await obedientModel();
  const collector = await startOtlpReceiver();
  const file = path.join(space.home, 't.jsonl');
  await writeFile(file, lines({ prompt: 'run: true' }, { prompt: 'run: true' }));
  const { code } = await batch(space, [file, '-j', '2'], {
    env: {
      ...env,
      AI_ASSISTANT_TELEMETRY: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
  });

  expect(code).toBe(0);
  const whole = collector.spans.find(({ name }) => name === 'batch');
  expect(whole).toMatchObject({ parentSpanId: null, attributes: { 'aca.batch.tasks': 2 } });
  const runs = collector.spans.filter(({ parentSpanId }) => parentSpanId === whole?.spanId);
  expect(runs.map(({ name }) => name)).toEqual(Array(2).fill('invoke_agent ai-code-assistant'));
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([whole?.traceId]));
});

describe('before anything runs', () => {
  test('wrong lines are named, and no model is asked', soak, async () => {
    const { space } = await repository({ 't.jsonl': '{"prompt":"x"}\n{"promt":"y"}\n' });
    const { env, server } = await obedientModel();
    const { code, stderr } = await batch(space, ['t.jsonl'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('t.jsonl:2: unknown field "promt". Did you mean prompt?');
    expect(server.requests).toEqual([]);
    expect(existsSync(path.join(space.home, '.ai-assistant/batches'))).toBe(false);
  });

  test('models and slash commands that do not exist are named with their lines, also by --dry-run', async () => {
    const tasks = lines(
      { prompt: 'x', model: 'nonsense' },
      { prompt: 'x', model: 'antropic/foo' },
      { prompt: '/nosuch x' },
      { prompt: '/known x' },
      { prompt: '/etc is a folder' },
      { prompt: 'x', model: 'anthropic/any' },
    );
    const { space } = await repository({
      't.jsonl': tasks,
      '.ai-assistant/commands/known.md': 'Do $ARGUMENTS.',
    });
    const { env } = await obedientModel();
    const { code, stderr } = await batch(space, ['t.jsonl', '--dry-run'], { env });
    expect(code).toBe(2);
    expect(stderr.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      expect.stringMatching(/^ {2}t\.jsonl:1: No known provider for the model "nonsense"\./),
      expect.stringMatching(/^ {2}t\.jsonl:2: No known provider.* Did you mean anthropic\/foo\?/),
      expect.stringMatching(/^ {2}t\.jsonl:3: There is no command \/nosuch\. To send it as a prompt,/),
    ]);
  });

  test('a bare repository is one, and one without commits is not a folder', soak, async () => {
    const { space, git } = await repository({ 't.jsonl': '{"prompt":"x"}\n' });
    const { env } = await obedientModel();
    const bare = path.join(space.home, 'bare.git');
    const empty = path.join(space.home, 'empty');
    git('clone', '-q', '--bare', '.', bare);
    git('init', '-q', empty);
    const dry = (cwd: string) =>
      aca(space, ['batch', path.join(space.root, 't.jsonl'), '--base', 'main', '--dry-run'], { env, cwd });
    expect((await dry(bare)).stdout).toContain(`${bare} ${git('rev-parse', 'main').slice(0, 12)}`);
    expect(await dry(empty)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${empty} has no commits yet.`),
    });
  });

  test('a machine without git is named', soak, async () => {
    const { space } = await repository({ 't.jsonl': '{"prompt":"x"}\n' });
    const { env } = await obedientModel();
    const { code, stderr } = await batch(space, ['t.jsonl'], { env: { ...env, PATH: '/nowhere' } });
    expect(code).toBe(2);
    expect(stderr).toContain('Git is not installed');
  });

  test('--dry-run lists the tasks of --each', soak, async () => {
    const { space } = await repository({ 'src/a.js': '', 'src/b.js': '' });
    const { env, server } = await obedientModel();
    const args = ['--each', 'src/*.js', '--prompt', 'run: true {{file}}', '--dry-run'];
    const { stdout } = await aca(space, ['batch', ...args], { env });
    expect(stdout).toMatch(/1-a .*run: true src\/a\.js\n2-b .*src\/b\.js\n2 tasks\n$/s);
    expect(server.requests).toEqual([]);
  });
});

describe('results that cannot be written', () => {
  const three = lines(...['a', 'b', 'c'].map((id) => ({ id, prompt: 'run: true' })));
  const toShell = async (pipe: string) => {
    const { space } = await repository({ 't.jsonl': three });
    const { env } = await obedientModel();
    const trees = path.join(space.home, 'trees');
    const { file, args } = program(['batch', 't.jsonl', '-j', '1', '--trees', trees]);
    const shell = spawn('sh', ['-c', `{ "$@"; echo "code $?" >&2; } ${pipe}`, 'sh', file, ...args], {
      cwd: space.root,
      env: cleanEnv(space, env),
    });
    let stdout = '';
    let stderr = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await once(shell, 'close');
    const recorded = (await recordedResults(space)).map(({ task }) => task);
    return { stdout, stderr, recorded, hasTrees: existsSync(trees) };
  };

  test('a reader that leaves early does not end the batch', soak, async () => {
    const { stdout, stderr, recorded, hasTrees } = await toShell('| head -1');
    expect(hasTrees).toBe(false);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/^3 of 3 tasks done\..*^code 0$/ms);
    expect(recorded).toEqual(['a', 'b', 'c']);
  });

  test.skipIf(!existsSync('/dev/full'))('a full disk stops it, and it says how to go on', soak, async () => {
    const { stderr, recorded } = await toShell('> /dev/full');
    expect(stderr).toMatch(
      /^The disk is full: standard output could not be written, and the batch was stopped\.\n.*aca batch --resume \S+\ncode 1$/m,
    );
    expect(recorded.length).toBeGreaterThan(0);
  });

  test.each([
    ['gone/x.jsonl', 'its folder does not exist'],
    ['.', 'it is a folder'],
  ])('--output %s is refused before there is a batch', soak, async (output, why) => {
    const { space } = await repository({ 't.jsonl': three });
    const { env, server } = await obedientModel();
    const { code, stderr } = await batch(space, ['t.jsonl', '-o', output], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `Results cannot be written to ${path.resolve(space.root, output)}: ${why}.\nName another file with --output.\n`,
    });
    expect(server.requests).toEqual([]);
    expect(existsSync(path.join(space.home, '.ai-assistant/batches'))).toBe(false);
  });
});

test('a folder without git, a repository by URL, and a repository at another commit', soak, async () => {
  const { space, git } = await repository({ 'a.txt': 'one\n' });
  git('tag', 'v1');
  await writeFile(path.join(space.root, 'a.txt'), 'two\n');
  git('commit', '-qam', 'second');
  const plain = path.join(space.home, 'plain');
  await mkdir(plain);
  await writeFile(path.join(plain, 'p.txt'), 'plain\n');
  await writeFile(
    path.join(space.root, 't.jsonl'),
    lines(
      { id: 'folder', prompt: 'run: cat p.txt > q.txt', folder: plain },
      { id: 'url', prompt: 'run: cat a.txt > q.txt', repository: `file://${space.root}`, ref: 'v1' },
      { id: 'tag', prompt: 'run: cat a.txt > q.txt', ref: 'v1' },
      { id: 'head', prompt: 'run: cat a.txt > q.txt' },
    ),
  );
  const { env } = await obedientModel();
  const { code, results } = await batch(space, ['t.jsonl', '-j', '2'], { env });
  expect(code).toBe(0);
  const patchOf = async (id: string) =>
    readFile(results.find(({ task }) => task === id)?.patch ?? '', 'utf8');
  expect(await patchOf('folder')).toContain('+plain');
  expect(await patchOf('url')).toContain('+one');
  expect(await patchOf('tag')).toContain('+one');
  expect(await patchOf('head')).toContain('+two');
  expect(
    results
      .filter(({ branch }) => branch)
      .map(({ task }) => task)
      .toSorted(),
  ).toEqual(['head', 'tag']);
  expect(await readdir(plain)).toEqual(['p.txt']);
  expect(existsSync(`${plain}.worktrees`)).toBe(false);
  const cache = path.join(space.home, '.cache/aca/repositories');
  expect(existsSync(cache) ? await readdir(cache) : []).toEqual([]);
});

test('a task cannot write outside of its worktree', soak, async () => {
  const { space, git } = await repository({ 'a.txt': 'one\n' });
  const outside = path.join(space.home, 'planted');
  const targets = [outside, path.join(space.root, 'planted'), path.join(space.root, '.git/hooks/pre-commit')];
  await writeFile(
    path.join(space.home, 't.jsonl'),
    lines(...targets.map((target) => ({ prompt: `run: echo x > '${target}'`, repository: space.root })), {
      prompt: 'run: git config core.hooksPath /tmp && git commit --allow-empty -qm x',
      repository: space.root,
    }),
  );
  const { env } = await obedientModel();
  const { results } = await batch(space, [path.join(space.home, 't.jsonl')], { env });
  expect(results).toHaveLength(4);
  for (const target of targets) expect(existsSync(target)).toBe(false);
  expect(git('config', '--get', '--default', 'none', 'core.hooksPath')).toBe('none');
  expect(git('rev-list', '--count', '--all')).toBe('1');
});

test('two batches at once in one repository do not meet', soak, async () => {
  const { space, git } = await repository({
    'a.txt': 'one\n',
    't.jsonl': lines({ id: 'x', prompt: 'run: touch b' }),
  });
  const { env } = await obedientModel();
  const both = await Promise.all([batch(space, ['t.jsonl'], { env }), batch(space, ['t.jsonl'], { env })]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(git('branch', '--list', 'aca/*').split('\n')).toHaveLength(2);
  expect(existsSync(treesOf(space.root))).toBe(false);
});

test('a dead model server stops the batch, and --retry-failed runs its tasks again', soak, async () => {
  const { space } = await repository({
    't.jsonl': lines(...Array.from({ length: 7 }, (_, i) => ({ prompt: `run: true ${i}` }))),
  });
  let isDead = true;
  const { env, server } = await obedientModel({
    before: async () => (isDead ? fails(401, { message: 'bad key' }) : undefined),
  });
  const first = await batch(space, ['t.jsonl', '-j', '1'], { env });
  expect(first.code).toBe(17);
  expect(first.stderr).toContain('Stopped, because the last tasks all failed');
  expect(server.requests).toHaveLength(5);
  isDead = false;
  const second = await batch(space, ['--resume', '--retry-failed'], { env });
  expect(second).toMatchObject({ code: 0 });
  expect(second.results).toHaveLength(7);
});

test('--retry-failed finds the last batch that has failed tasks, and adds what they cost before', async () => {
  const { space } = await repository({
    't.jsonl': lines(
      { id: 'ok', prompt: 'run: true' },
      { id: 'twice', prompt: 'run: touch x', checks: ['test -e y'], checkRetries: 0 },
    ),
  });
  const { env, orders } = await obedientModel();
  const first = await batch(space, ['t.jsonl'], { env });
  expect(first.code).toBe(11);
  expect((await batch(space, ['--resume'], { env })).stderr).toBe(
    'No batch to resume in this folder.\nAdd --retry-failed to run the failed tasks of the last one again.\n',
  );
  const [before] = first.results.filter(({ task }) => task === 'twice');
  const { results, stderr } = await batch(space, ['--resume', '--retry-failed'], { env });
  expect(stderr).toContain(`Batch ${path.basename(await batchFolder(space))}: 1 of 2 tasks`);
  expect(Object.fromEntries(orders)).toEqual({ true: 1, 'touch x': 2 });
  expect(results).toMatchObject([{ task: 'twice', failure: 'check' }]);
  expect(results[0]?.costUsd).toBeCloseTo(2 * (before?.costUsd ?? 0), 8);
  expect(results[0]?.tokens).toBe(2 * (before?.tokens ?? 0));
});

test('the budget of a batch is not exceeded, and a higher one lets it go on', soak, async () => {
  const { space } = await repository({
    't.jsonl': lines(...Array.from({ length: 6 }, (_, i) => ({ id: `t${i}`, prompt: `run: touch f${i}` }))),
  });
  const { env, orders } = await obedientModel();
  const first = await batch(space, ['t.jsonl', '-j', '2', '--budget', '$0.06'], { env });
  expect(first.code).toBeGreaterThan(10);
  expect(first.stderr).toContain('The budget of the batch is used up.');
  const spent = JSON.parse(await readFile(path.join(await batchFolder(space), 'spent/spent.json'), 'utf8'));
  expect(spent.spent.usd).toBeLessThanOrEqual(0.06);
  const second = await batch(space, ['--resume', '--budget', '$5'], { env });
  expect(second.code).toBe(0);
  expect(first.results.length + second.results.length).toBe(6);
  for (const [order, times] of orders) expect([order, times]).toEqual([order, 1]);
});

test('Ctrl-C stops the tasks, and --resume continues their sessions', soak, async () => {
  const { space, git } = await repository({
    't.jsonl': lines({ id: 'quick', prompt: 'run: touch quick' }, { id: 'slow', prompt: 'run: touch slow' }),
  });
  let isHung: () => void;
  const hung = new Promise<void>((resolve) => {
    isHung = resolve;
  });
  let isSlow = true;
  const { env, orders } = await obedientModel({
    async before({ messages }) {
      const isSecond = messages.some(({ role }) => role === 'assistant');
      if (!isSlow || !isSecond || !messages.some(({ text }) => text.includes('touch slow'))) return undefined;
      isHung();
      return hangs();
    },
  });
  const first = await batch(space, ['t.jsonl', '-j', '1'], {
    env,
    onSpawn: (child) => void hung.then(() => child.kill('SIGINT')),
  });
  expect(first.code).toBe(130);
  expect(first.results.map(({ task }) => task)).toEqual(['quick']);
  expect(first.stderr).toContain('Resume with: aca batch --resume');
  // The first call of the interrupted task counts.
  const [, cost] = /Cost: \$([\d.]+)\./.exec(first.stderr) ?? [];
  expect(Number(cost)).toBeGreaterThan((first.results[0]?.costUsd ?? 0) + 0.005);
  const stoppedAt = new Date().toISOString();
  isSlow = false;
  const second = await batch(space, ['--resume'], { env });
  expect(second.code).toBe(0);
  expect((second.results[0]?.startedAt ?? '') < stoppedAt).toBe(true);
  expect(second.results).toMatchObject([{ task: 'slow', status: 'done', filesChanged: 1 }]);
  expect([...orders]).toEqual([
    ['touch quick', 1],
    ['touch slow', 1],
  ]);
  expect(git('branch', '--list', 'aca/*').split('\n')).toHaveLength(2);
  expect((await batch(space, ['--resume'], { env })).stderr).toContain('No batch to resume');
});

test('what a batch left behind is removed by the next one', soak, async () => {
  const { space } = await repository({ 't.jsonl': lines({ id: 'x', prompt: 'run: touch b' }) });
  const { env } = await obedientModel();
  await batch(space, ['t.jsonl'], { env });
  const id = path.basename(await batchFolder(space));
  const left = path.join(treesOf(space.root), `${id}-x`);
  const half = path.join(treesOf(space.root), `.aca-removed-${id}-y`);
  for (const folder of [left, half]) await mkdir(path.join(folder, 'tree'), { recursive: true });
  await mkdir(path.join(treesOf(space.root), '20200101-0000-abcd-x'));
  const { stderr } = await batch(space, ['t.jsonl'], { env });
  expect([left, half].filter(existsSync)).toEqual([]);
  expect(stderr).toContain('20200101-0000-abcd-x is left over from a batch that is not known here.');
  await rm(treesOf(space.root), { recursive: true });
});

test('a folder that is no repository is copied', soak, async () => {
  const space = await workspace({ 'a.txt': 'x\n', 't.jsonl': lines({ prompt: 'run: rm a.txt' }) });
  const { env } = await obedientModel();
  const { code, results } = await batch(space, ['t.jsonl'], { env });
  expect(code).toBe(0);
  expect(results).toMatchObject([{ filesChanged: 1, patch: expect.stringContaining('1.patch') }]);
  expect((await space.tree())['a.txt']).toBe('x\n');
  gitIn(space.root, 'init', '-q');
  gitIn(space.root, 'apply', '--check', results[0]?.patch ?? '');
});
