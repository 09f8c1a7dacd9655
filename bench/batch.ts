import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listBatches, OpenBatch } from '../src/fleet/batch/batch-store.ts';
import { reportOf, toHtml, toMarkdown } from '../src/fleet/batch/report.ts';
import { runBatch } from '../src/fleet/batch/run-batch.ts';
import { childArguments, resultOf } from '../src/fleet/child-run.ts';
import type { TaskPlace } from '../src/fleet/run-options.ts';
import { runTask } from '../src/fleet/run-task.ts';
import type { Task } from '../src/fleet/task.ts';
import { readTasks } from '../src/fleet/tasks/read-tasks.ts';
import { runKept } from '../src/sandbox/shell/kept-program.ts';
import { createProcessKeeper } from '../src/sandbox/shell/process-keeper.ts';
import { says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import { quantile } from './process-figures.ts';

/**
 * What `aca batch` adds to a task: `npm run bench:batch`. Plain headless runs and tasks alternate, so that both see
 * the same machine. Scheduling is measured without child processes: 10,000 runs would take most of an hour, and
 * nothing of them depends on how many there are.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const SIZES = [10, 100, 1_000, 10_000];
const FILES = 200;

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'aca-bench-batch-')));
const keeper = createProcessKeeper({ path: process.env.PATH });

const task = (id: string, repository: string): Task => ({
  id,
  prompt: 'say done',
  source: { type: 'repository', repository, ref: 'HEAD' },
  mode: 'auto',
  allow: [],
  deny: [],
  checks: [],
  checkRetries: 0,
  labels: [],
  variables: {},
});

function makeRepository(): string {
  const root = path.join(folder, 'project');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  for (let i = 0; i < FILES; i++)
    writeFileSync(path.join(root, 'src', `f${i}.js`), `export const x = ${i};\n`);
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args]);
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
  return root;
}

async function timed<T>(work: () => Promise<T> | T): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function overhead(): Promise<void> {
  const repository = makeRepository();
  await using server = await startModelServer([says('Done.')], { loop: true });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    AI_ASSISTANT_HOME: path.join(folder, 'data'),
    AI_ASSISTANT_KEYCHAIN: '0',
    AI_ASSISTANT_MEMORY: '0',
    AI_ASSISTANT_NO_UPDATE_CHECK: '1',
    AI_ASSISTANT_MODEL: 'anthropic/claude-sonnet-4-20250514',
    ANTHROPIC_API_KEY: 'sk-ant-test',
    ANTHROPIC_BASE_URL: server.url,
  };
  const program = [process.execPath, path.resolve('dist/main.cjs')];
  const patches = path.join(folder, 'patches');
  mkdirSync(patches);
  const place: TaskPlace = {
    batch: 'bench',
    patches,
    program,
    keeper,
    env,
    changes: 'branch',
    sources: new Map(),
  };
  const { signal } = new AbortController();
  const plain: number[] = [];
  const inBatch: number[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const { args, input } = childArguments(task('x', repository), {
      session: crypto.randomUUID(),
      isResumed: false,
      trust: false,
    });
    const alone = await timed(() =>
      runKept({ command: [...program, ...args], cwd: repository, env, input, signal, keeper }),
    );
    const session = { id: crypto.randomUUID(), resume: false };
    const asTask = await timed(async () => {
      const result = await runTask(task(`t${round + 2}`, repository), { place, session, signal });
      if (result.status !== 'done') throw new Error(JSON.stringify(result));
    });
    // The first rounds fill caches.
    if (round < 0) continue;
    plain.push(alone);
    inBatch.push(asTask);
  }
  const differences = inBatch.map((ms, i) => ms - (plain[i] ?? 0));
  console.log(`A task in a repository of ${FILES} files, ${ROUNDS} rounds, median (quartiles):`);
  console.table({
    'plain headless run, ms': row(plain),
    'as a task of a batch, ms': row(inBatch),
    'overhead, ms (target: under 50)': row(differences),
  });
}

function row(figures: readonly number[]) {
  const at = (share: number) => Math.round(quantile(figures, share) * 10) / 10;
  return { median: at(0.5), from: at(0.25), to: at(0.75) };
}

async function growth(): Promise<void> {
  const rows: Record<string, Record<string, number>> = {};
  for (const size of SIZES) {
    const root = path.join(folder, `root-${size}`);
    const text = Array.from({ length: size }, (_, i) => `{"id":"t${i}","prompt":"say ${i}"}`).join('\n');
    const defaults = {
      ...{ cwd: folder, env: {}, ref: 'HEAD', source: { type: 'folder', path: folder } as const, models: [] },
      ...{ mode: 'auto' as const, allow: [], deny: [], checks: [], checkRetries: 0, labels: [] },
    };
    let tasks: Task[] = [];
    const reading = await timed(async () => {
      tasks = await readTasks({ type: 'file', name: 't.jsonl', text, folder }, defaults);
    });
    const about = { cwd: folder, jobs: 4, changes: 'branch' as const, trust: false };
    const batch = await OpenBatch.create(root, tasks, about);
    const started = { at: new Date(), clock: performance.now(), session: 'x' };
    const scheduling = await timed(() =>
      runBatch(batch, {
        place: { program: [], keeper, env: {} },
        jobs: 4,
        retry: 'open',
        signal: new AbortController().signal,
        run: async (one, { onResult }) => {
          const result = resultOf(one, started, { answer: 'Done.' });
          await onResult?.(result);
          return result;
        },
        onEvent: () => undefined,
      }),
    );
    const reporting = await timed(() => {
      const report = reportOf(batch.state);
      return `${toMarkdown(report)}${toHtml(report)}`;
    });
    batch.close();
    const listing = await timed(() => listBatches(root));
    const each = (ms: number) => Math.round((1000 * ms) / size) / 1000;
    rows[`${size} tasks`] = {
      'read, ms per task': each(reading),
      'schedule and record': each(scheduling),
      report: each(reporting),
      'read back': each(listing),
    };
  }
  console.log('Growth, without child processes (two synced lines per task):');
  console.table(rows);
}

try {
  await growth();
  await overhead();
} finally {
  await keeper.close();
  rmSync(folder, { recursive: true, force: true });
}
