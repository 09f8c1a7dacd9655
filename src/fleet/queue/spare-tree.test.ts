import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changedNames, contentOf, put, repository } from '../../../test/support/repositories.ts';
import { createProcessKeeper } from '../../sandbox/shell/process-keeper.ts';
import type { Task, TaskSource } from '../task.ts';
import { openTree } from '../task-tree.ts';
import type { Fleet } from './fleet.ts';
import { WorkerFolders } from './leftovers.ts';
import { SpareTree } from './spare-tree.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

async function lab() {
  const { root, base, env, git } = await repository({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
  const keeper = createProcessKeeper({ path: process.env.PATH });
  onTestFinished(() => keeper.close());
  const trees = path.join(base, 'trees');
  const place = {
    ...{ batch: 'b', patches: base, program: [], keeper, env, trees, sources: new Map() },
    changes: 'branch' as const,
  };
  const spare = new SpareTree('w-1', new WorkerFolders(base, { url: 'redis://x' } as Fleet));
  const source: TaskSource = { type: 'repository', repository: root, ref: 'main' };
  const open = (id: string, from = source) =>
    openTree({ id, source: from } as Task, {
      place,
      session: { id: 's', resume: true },
      signal: new AbortController().signal,
      takeSpare: () => spare.take(from, place),
    });
  return { git, root, trees, place, spare, source, open };
}

describe.skipIf(!hasGit)('a worktree that was created ahead', () => {
  test('becomes that of the next task, complete and locked, and is used once', async () => {
    const { trees, place, spare, source, open } = await lab();
    await spare.prepare(source, place);
    const first = await open('t1');

    expect(readdirSync(trees)).toEqual(['b-t1']);
    expect(first.isNew).toBe(true);
    expect(contentOf(first.tree.folder)).toEqual({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
    expect(first.tree.lock.isHeld()).toBe(true);
    put(first.tree.folder, { 'a.txt': 'three\n' });
    expect(await changedNames(first.tree)).toEqual({ files: ['a.txt'], leftOut: [] });
    expect(contentOf((await open('t2')).tree.folder)).toEqual({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
    // A task that goes on keeps its own.
    first.tree.lock.release();
    await spare.prepare(source, place);
    const again = await open('t1');
    expect({ isNew: again.isNew, ...contentOf(again.tree.folder) }).toMatchObject({
      isNew: false,
      'a.txt': 'three\n',
    });
  });

  test('is not taken for another commit, and is removed when it is not needed', async () => {
    const { git, root, trees, place, spare, source, open } = await lab();
    put(root, { 'a.txt': 'later\n' });
    git('commit', '-qam', 'later');
    await spare.prepare({ ...source, ref: 'main~1' } as TaskSource, place);
    const { tree } = await open('t1');
    expect(contentOf(tree.folder)).toMatchObject({ 'a.txt': 'later\n' });
    await spare.discard();
    expect(readdirSync(trees)).toEqual(['b-t1']);
    await spare.prepare(source, place);
    await spare.discard();
    expect(readdirSync(trees)).toEqual(['b-t1']);
    expect(existsSync(tree.folder)).toBe(true);
  });
});
