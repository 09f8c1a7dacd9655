// @module-tag soak
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batch, batchFolder, obedientModel, recordedResults, repository } from '../support/batch.ts';

const TASKS = 8;

/** What can be seen of a batch from outside. */
type Seen = {
  batches: number;
  trees: number;
  requests: number;
  patches: number;
  branches: number;
  results: number;
};

/** Moments to kill it at: as soon as one of the numbers has grown by this much, and some milliseconds later. */
const MOMENTS: readonly [what: keyof Seen, by: number, laterMs: number][] = [
  ['batches', 1, 0],
  ['trees', 1, 0],
  ['requests', 1, 0],
  ['requests', 1, 40],
  ['requests', 2, 20],
  ['patches', 1, 0],
  ['results', 1, 0],
  ['branches', 1, 0],
  ['requests', 3, 60],
  ['branches', 1, 15],
  ['results', 1, 10],
];

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

test('killed at any moment and resumed, every task ends exactly once', { timeout: 900_000 }, async () => {
  const { space, git } = await repository({ 'a.txt': 'one\n' });
  const ids = Array.from({ length: TASKS }, (_, i) => `t${i}`);
  const lines = ids.map((id) =>
    JSON.stringify({ id, prompt: `run: echo ${id} >> log.txt`, checks: ['test -f a.txt'] }),
  );
  await writeFile(path.join(space.root, 't.jsonl'), lines.join('\n'));
  const { env, server } = await obedientModel();
  const batches = path.join(space.home, '.ai-assistant', 'batches');
  const isBatch = (name: string) => existsSync(path.join(batches, name, 'batch.json'));
  const look = (): Seen => {
    const folder = path.join(batches, namesIn(batches).find(isBatch) ?? '-');
    const results = path.join(folder, 'results.jsonl');
    return {
      batches: namesIn(batches).filter(isBatch).length,
      trees: namesIn(`${space.root}.worktrees`).length,
      requests: server.requests.length,
      patches: namesIn(path.join(folder, 'patches')).length,
      branches: namesIn(path.join(space.root, '.git/refs/heads/aca', path.basename(folder))).length,
      results: existsSync(results) ? readFileSync(results, 'utf8').split('\n').length : 0,
    };
  };
  const start = () =>
    batch(space, [...(look().batches > 0 ? ['--resume'] : ['t.jsonl']), '-j', '2'], optionsOf());
  let moment: (typeof MOMENTS)[number] | undefined;
  let kills = 0;
  const optionsOf = () => ({
    env,
    onSpawn(child: { kill(signal: 'SIGKILL'): boolean; exitCode: number | null }) {
      if (!moment) return;
      const [what, by, laterMs] = moment;
      const before = look()[what];
      void (async () => {
        while (child.exitCode === null && look()[what] < before + by) await pause(3);
        await pause(laterMs);
        if (child.kill('SIGKILL')) kills += 1;
      })();
    },
  });

  for (moment of MOMENTS) await start();
  moment = undefined;
  const { code, stderr } = await start();

  expect(kills).toBeGreaterThan(MOMENTS.length / 2);
  const results = await recordedResults(space);
  expect(results.map(({ task }) => task).toSorted()).toEqual(ids);
  for (const { task, status, reason, branch } of results) {
    expect([task, status, reason]).toEqual([task, 'done', undefined]);
    // A command that was cut off does not run again; the model is told about it.
    if (branch !== undefined) expect(git('show', `${branch}:log.txt`)).toBe(task);
  }
  // Killed after the last result, it leaves its worktrees to the next batch.
  if (code === 0) expect(existsSync(`${space.root}.worktrees`)).toBe(false);
  expect(git('status', '--porcelain')).toBe('?? t.jsonl');
  // All may have ended before the last start.
  if (code === 0) expect(stderr).toContain(`${TASKS} of ${TASKS} tasks done`);
  else expect(stderr).toContain('No batch to resume');
  expect(path.basename(await batchFolder(space))).not.toBe('');
  expect(await readFile(path.join(await batchFolder(space), 'results.jsonl'), 'utf8')).toMatch(/\n$/);
});
