import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { put, repository } from '../../../test/support/repositories.ts';
import { sweep } from '../../../test/support/soak.ts';
import { changesOf, commitChanges, writePatch } from './changes.ts';
import { removeWorktree } from './remove.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit || process.platform === 'win32')(
  'a hostile repository or worktree runs no program',
  () => {
    type Trap = { root: string; evil: string; git(...args: string[]): string };
    const traps: [string, (trap: Trap) => void][] = [
      ['core.fsmonitor', ({ git, evil }) => git('config', 'core.fsmonitor', evil)],
      ['an external diff', ({ git, evil }) => git('config', 'diff.external', evil)],
      [
        'filters and textconv',
        ({ git, evil, root }) => {
          put(root, { '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
          for (const key of [
            'filter.evil.clean',
            'filter.evil.smudge',
            'filter.evil.process',
            'diff.evil.textconv',
            'diff.evil.command',
          ])
            git('config', key, evil);
        },
      ],
      [
        'an included file',
        ({ git, evil, root }) => {
          put(root, {
            '.gitattributes': '* filter=evil\n',
            more: `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`,
          });
          git('config', 'include.path', '../more');
        },
      ],
      [
        'hooks',
        ({ root, evil }) => {
          for (const hook of [
            'post-checkout',
            'post-index-change',
            'pre-commit',
            'reference-transaction',
            'post-commit',
          ])
            writeFileSync(path.join(root, '.git/hooks', hook), `#!/bin/sh\nexec '${evil}'\n`, {
              mode: 0o755,
            });
        },
      ],
      [
        'programs for signatures',
        ({ git, evil }) => void [git('config', 'gpg.program', evil), git('config', 'commit.gpgSign', 'true')],
      ],
    ];

    function trapped(base: string) {
      const mark = path.join(base, 'mark');
      const evil = path.join(base, 'evil.sh');
      writeFileSync(evil, `#!/bin/sh\necho ran > '${mark}'\ncat\n`, { mode: 0o755 });
      return { evil, hasRun: () => existsSync(mark), reset: () => rmSync(mark, { force: true }) };
    }

    sweep(traps)('by %s', async (_, set) => {
      for (const place of ['repository', 'worktree']) {
        const repo = await repository({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
        const { evil, hasRun, reset } = trapped(repo.base);
        if (place === 'repository') set({ ...repo, evil });
        reset();
        put(repo.root, { 'a.txt': 'dirty\n' });
        const tree = await repo.make({ uncommitted: true });
        if (place === 'worktree') {
          mkdirSync(path.join(tree.folder, '.git/hooks'), { recursive: true });
          set({ root: tree.folder, evil, git: (...args) => repo.git('-C', tree.folder, ...args) });
          reset();
        }
        put(tree.folder, { 'a.txt': 'two\n', 'c.txt': 'three\n' });
        const changes = await changesOf(tree);
        await writePatch(tree, changes, path.join(repo.base, 'patch'));
        await commitChanges(tree, changes, { branch: 'x', message: 'm' });
        expect(changes.files.map((file) => file.path)).toEqual(expect.arrayContaining(['a.txt', 'c.txt']));
        await removeWorktree(tree);
        expect(hasRun()).toBe(false);
      }
    });

    test('by a repository in the folder of a submodule', async () => {
      const inner = await repository({ 'x.txt': 'inner\n' });
      const repo = await repository({ 'a.txt': 'one\n' });
      repo.git('submodule', '--quiet', 'add', inner.root, 'mod');
      repo.git('commit', '-qm', 'module');
      const { evil, hasRun, reset } = trapped(repo.base);
      repo.git('-C', path.join(repo.root, 'mod'), 'config', 'core.fsmonitor', evil);
      put(repo.root, { 'mod/x.txt': 'changed\n' });
      const tree = await repo.make({ uncommitted: true });
      cpSync(inner.root, path.join(tree.folder, 'mod'), { recursive: true });
      repo.git('-C', path.join(tree.folder, 'mod'), 'config', 'core.fsmonitor', evil);
      put(tree.folder, { 'mod/x.txt': 'changed\n' });
      reset();
      const changes = await changesOf(tree);
      expect(await changesOf(tree)).toEqual(changes);
      expect(changes.leftOut).not.toEqual([]);
      expect(hasRun()).toBe(false);
      repo.git('-C', tree.folder, 'status');
      expect(hasRun()).toBe(true);
    });

    test('nor does it lead to files elsewhere', async () => {
      const { root, make, git, base } = await repository({ 'a.txt': 'one\n' });
      put(base, { 'secret/s.txt': 's' });
      git('config', 'core.worktree', base);
      await expect(make({ uncommitted: true })).rejects.toThrow(
        `The repository in ${root} has its files in ${base}.`,
      );
    });
  },
);
