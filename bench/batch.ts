import path from 'node:path';
import { listBatches, OpenBatch } from '../src/fleet/batch/batch-store.ts';
import { reportOf, toHtml, toMarkdown } from '../src/fleet/batch/report.ts';
import { runBatch } from '../src/fleet/batch/run-batch.ts';
import type { Task } from '../src/fleet/task.ts';
import { readTasks } from '../src/fleet/tasks/read-tasks.ts';
import { type BatchLab, openBatchLab, type Row, rounded, table, timed } from './batch-lab.ts';
import { overhead } from './batch-overhead.ts';
import { atOnce, costsOfWorkers, queueGrowth } from './batch-queue.ts';
import { publish } from './publish.ts';

/**
 * What `aca batch` adds to a task, here and with a queue server: `npm run bench:batch`. Growth is measured without
 * child processes: 10,000 runs would take most of an hour, and nothing of them depends on how many there are.
 */
const LARGEST = Number(process.env.BENCH_TASKS ?? 10_000);
/** The first one warms up: the second of the same size replaces it. */
const SIZES = [10, 10, 100, 1_000, 10_000].filter((size) => size <= LARGEST);

async function growth({ folder, keeper }: BatchLab): Promise<string> {
  const rows = new Map<number, Row>();
  for (const [i, size] of SIZES.entries()) {
    const root = path.join(folder, `root-${i}`);
    const text = Array.from({ length: size }, (_, i) => `{"id":"t${i}","prompt":"say ${i}"}`).join('\n');
    const defaults = {
      ...{ cwd: folder, env: {}, ref: 'HEAD', source: { type: 'folder', path: folder } as const, models: [] },
      ...{ mode: 'auto' as const, allow: [], deny: [], checks: [], checkRetries: 0, labels: [] },
    };
    let tasks: Task[] = [];
    const reading = await timed(async () => {
      tasks = await readTasks({ type: 'file', name: 't.jsonl', text, folder }, defaults);
    });
    const batch = await OpenBatch.create(root, tasks, {
      cwd: folder,
      jobs: 4,
      changes: 'branch',
      trust: false,
    });
    const scheduling = await timed(() =>
      runBatch(batch, {
        place: { program: [], keeper, env: {} },
        jobs: 4,
        retry: 'open',
        signal: new AbortController().signal,
        run: atOnce,
        onEvent: () => undefined,
      }),
    );
    const reporting = await timed(() => {
      const report = reportOf(batch.state, new Map());
      return `${toMarkdown(report)}${toHtml(report)}`;
    });
    batch.close();
    const listing = await timed(() => listBatches(root));
    const each = (ms: number) => rounded(ms / size, 3);
    const what = size.toLocaleString('en-US');
    rows.set(size, [what, each(reading), each(scheduling), each(reporting), each(listing)]);
  }
  return [
    'On this machine, without child processes (two synced lines per task), ms per task:',
    table(['tasks', 'read', 'schedule and record', 'report', 'read back'], [...rows.values()]),
  ].join('\n\n');
}

const lab = await openBatchLab();
try {
  const parts = [await overhead(lab), await growth(lab)];
  if (lab.redis) parts.push(await queueGrowth(lab, lab.redis, SIZES), await costsOfWorkers(lab, lab.redis));
  else parts.push('Redis: skipped, redis-server is not installed.');
  await publish('Batches', parts.join('\n\n'));
} finally {
  await lab.close();
}
