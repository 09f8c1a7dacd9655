import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentOf, put, repository } from '../../../test/support/repositories.ts';
import { rounds, soak, sweep } from '../../../test/support/soak.ts';
import { createFiles } from '../../sandbox/files/files.ts';
import { createGuard } from '../../sandbox/guard.ts';
import { applyMerge } from '../../sandbox/worktrees/apply-merge.ts';
import { changesOf } from '../../sandbox/worktrees/changes.ts';
import { createWorktree } from '../../sandbox/worktrees/create.ts';
import { planMerge } from '../../sandbox/worktrees/plan-merge.ts';
import { removeWorktree } from '../../sandbox/worktrees/remove.ts';
import { UndoStore } from '../../session/undo/undo-store.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Merges `theirs`, made in a worktree, into a folder where `ours` happened meanwhile; then undoes it. */
async function merge(root: string, env: Record<string, string>, { ours, theirs, at }: Merge) {
  const tree = await createWorktree({ repository: root, at, env, uncommitted: true });
  theirs(tree.folder);
  ours(root);
  const before = contentOf(root);
  const plan = await planMerge(tree, await changesOf(tree), root);
  const wanted = contentOf(tree.folder);
  const guard = createGuard({
    cwd: root,
    home: '/nowhere',
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
  });
  const undo = new UndoStore({ folder: `${at}.undo`, sessionId: 's', roots: [root] });
  undo.beginRun({ prompt: 'p', message: 0, at: new Date().toISOString() });
  const onBeforeWrite = (change: Parameters<UndoStore['keep']>[0]) => undo.keep(change);
  const files = createFiles({ guard, cwd: root, onBeforeWrite });
  if (plan.conflicts.length === 0) await applyMerge(plan.steps, { root, files, guard, onBeforeWrite });
  const after = contentOf(root);
  const pending = plan.conflicts.length === 0 ? await undo.previewUndo() : null;
  await pending?.apply();
  const undone = contentOf(root);
  await undo.close();
  await removeWorktree(tree);
  return { before, after, undone, wanted, conflicts: plan.conflicts };
}

type Merge = { ours(root: string): void; theirs(root: string): void; at: string };
const nothing = () => undefined;

describe.skipIf(!hasGit || process.platform === 'win32')('the merge of a worktree', () => {
  const name = fc.constantFrom('a.txt', 'b.txt', 'd/e.txt', 'ü n/日本.txt', '-x', 'new/deep.txt');
  const step = fc.oneof(
    fc.record({
      type: fc.constant('write' as const),
      name,
      text: fc.constantFrom('', 'x\n', 'one\ntwo\n', '\0\xff'),
    }),
    fc.record({ type: fc.constant('remove' as const), name }),
    fc.record({ type: fc.constant('mode' as const), name }),
    fc.record({ type: fc.constant('link' as const), name, to: fc.constantFrom('a.txt', '/etc') }),
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  const doing = (steps: readonly Step[]) => (root: string) => {
    for (const one of steps) {
      const file = path.join(root, one.name);
      const stat = lstatSync(file, { throwIfNoEntry: false });
      mkdirSync(path.dirname(file), { recursive: true });
      if (one.type === 'mode') {
        if (stat?.isFile()) chmodSync(file, 0o755);
        continue;
      }
      rmSync(file, { force: true });
      if (one.type === 'write') writeFileSync(file, one.text);
      if (one.type === 'link') symlinkSync(one.to, file);
    }
  };

  sweep([3, rounds(10, 40)])(
    'gives the files of the worktree, and undo gives back the old ones (%i runs)',
    async (runs) => {
      const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'd/e.txt': 'x\r\n' };
      const { base, root, env } = await repository(files);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
          run += 1;
          const copy = path.join(base, `c${run}`);
          cpSync(root, copy, { recursive: true });
          const at = path.join(base, `t${run}`);
          const done = await merge(copy, env, { ours: nothing, theirs: doing(steps), at });
          expect(done).toMatchObject({ conflicts: [], after: done.wanted, undone: done.before });
        }),
        { numRuns: runs },
      );
    },
  );

  sweep([2, rounds(8, 25)])(
    'never changes a file that both changed differently, and says which (%i runs)',
    async (runs) => {
      const { base, root, env } = await repository({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'd/e.txt': 'x\n' });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 4 }),
          fc.array(step, { maxLength: 4 }),
          async (mine, theirs) => {
            run += 1;
            const copy = path.join(base, `c${run}`);
            cpSync(root, copy, { recursive: true });
            const start = contentOf(copy);
            const at = path.join(base, `t${run}`);
            const done = await merge(copy, env, { ours: doing(mine), theirs: doing(theirs), at });
            const all = new Set([
              ...Object.keys(start),
              ...Object.keys(done.before),
              ...Object.keys(done.wanted),
            ]);
            const both = [...all].filter(
              (file) =>
                done.before[file] !== start[file] &&
                done.wanted[file] !== start[file] &&
                done.before[file] !== done.wanted[file],
            );
            if (both.length === 0) expect(done.conflicts).toEqual([]);
            if (done.conflicts.length > 0) expect(done.after).toEqual(done.before);
            for (const { path: file } of done.conflicts) expect(both).toContain(file);
            expect(done.undone).toEqual(done.before);
          },
        ),
        { numRuns: runs },
      );
    },
  );

  const lines = (...changed: string[]) =>
    `${['1', '2', '3', '4', '5', '6', '7'].map((l, i) => changed[i] || l).join('\n')}\n`;
  const table: [title: string, ours: string, theirs: string, result: string | null][] = [
    ['different lines', lines('a'), lines('', '', '', '', '', '', 'b'), lines('a', '', '', '', '', '', 'b')],
    ['the same change', lines('a'), lines('a'), lines('a')],
    ['the same line', lines('a'), lines('b'), null],
    ['binary contents', '\0a', '\0b', null],
  ];
  test.each(table)('in one file: %s', async (_, mine, theirs, result) => {
    const { base, root, env } = await repository({ 'a.txt': lines() });
    const { after, conflicts } = await merge(root, env, {
      ours: (folder) => put(folder, { 'a.txt': mine }),
      theirs: (folder) => put(folder, { 'a.txt': theirs }),
      at: path.join(base, 't'),
    });
    expect(conflicts.map((one) => one.path)).toEqual(result === null ? ['a.txt'] : []);
    expect(after).toEqual({ 'a.txt': result ?? mine });
  });

  test('line endings on the disk are no difference', soak, async () => {
    const { base, root, env } = await repository({
      '.gitattributes': '*.txt eol=crlf\n',
      'a.txt': '1\r\n2\r\n3\r\n4\r\n',
    });
    const { after, conflicts } = await merge(root, env, {
      ours: (folder) => put(folder, { 'a.txt': 'x\r\n2\r\n3\r\n4\r\n' }),
      theirs: (folder) => put(folder, { 'a.txt': '1\r\n2\r\n3\r\ny\r\n' }),
      at: path.join(base, 't'),
    });
    expect({ conflicts, after: after['a.txt'] }).toEqual({ conflicts: [], after: 'x\r\n2\r\n3\r\ny\r\n' });
  });

  test('a folder that became a link out of the project is a conflict', async () => {
    const { base, root, env } = await repository({ 'd/a.txt': 'one\n' });
    put(base, { 'outside/a.txt': 'one\n' });
    const { conflicts } = await merge(root, env, {
      ours(folder) {
        rmSync(path.join(folder, 'd'), { recursive: true });
        symlinkSync(path.join(base, 'outside'), path.join(folder, 'd'));
      },
      theirs: (folder) => put(folder, { 'd/a.txt': 'two\n' }),
      at: path.join(base, 't'),
    });
    expect(conflicts).toEqual([{ path: 'd/a.txt', because: 'a link leads it outside the folder' }]);
    expect(contentOf(path.join(base, 'outside'))).toEqual({ 'a.txt': 'one\n' });
  });
});
