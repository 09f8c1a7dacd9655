import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { hasRedis, redisServer } from '../../test/support/redis.ts';
import { put, repository } from '../../test/support/repositories.ts';
import { sweep } from '../../test/support/soak.ts';
import { createProcessKeeper } from '../sandbox/shell/process-keeper.ts';
import { keepChanges } from './keep-changes.ts';
import { openFleet } from './queue/fleet.ts';
import { publishTo } from './queue/publish.ts';
import type { Task } from './task.ts';
import { openTree } from './task-tree.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Deliveries of one task, each with a worktree of its own, whose result another one may have to give. */
async function deliveries(kind: 'path' | 'URL') {
  const [{ root, base, env, git }, { url }] = await Promise.all([
    repository({ 'a.txt': 'one\n' }),
    redisServer(),
  ]);
  const fleet = await openFleet({ url, key: 'a key that all machines share' });
  const keeper = createProcessKeeper({ path: process.env.PATH });
  onTestFinished(async () => {
    await keeper.close();
    await fleet.close();
  });
  const source = kind === 'path' ? root : `file://${root}`;
  const task = {
    id: 't',
    prompt: 'p',
    source: { type: 'repository', repository: source, ref: 'main' },
  } as Task;
  const place = (token: number) => ({
    ...{ batch: 'b', patches: path.join(base, String(token)), program: [], keeper, env },
    ...{ trees: path.join(base, `trees-${token}`), sources: new Map(), changes: 'branch' as const },
  });
  const deliver = async (token: number, files: Record<string, string>) => {
    const { signal } = new AbortController();
    const session = { id: 's', resume: false };
    mkdirSync(place(token).patches);
    const { tree } = await openTree(task, { place: place(token), session, signal });
    put(tree.folder, files);
    return keepChanges(tree, task, {
      place: place(token),
      ...{ session: 's', signal },
      fence: { token, isCurrent: async () => true },
      publish: publishTo(source, { fleet, job: 'job', env, signal }),
    });
  };
  return { deliver, git };
}

describe.skipIf(!hasGit || !hasRedis)('what an earlier delivery of a task has pushed counts', () => {
  sweep(['path', 'URL'] as const)('in a repository by %s', async (kind) => {
    const { deliver, git } = await deliveries(kind);
    const { patch, ...first } = await deliver(1, { 'new.txt': 'new\n', 'a.txt': 'changed\n' });
    expect(first).toMatchObject({ filesChanged: 2, branch: 'aca/b/t' });
    // Its worker was killed before it could say so; the next one changes nothing, or something else.
    for (const [token, files] of [
      [2, {}],
      [3, { 'other.txt': 'x\n' }],
    ] as const) {
      const { patch: again, ...later } = await deliver(token, files);
      expect(later).toEqual(first);
      expect(readFileSync(again ?? '', 'utf8')).toBe(readFileSync(patch ?? '', 'utf8'));
    }
    expect(git('rev-parse', 'aca/b/t').trim()).toBe(first.commit);
  });
});
