import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { safeGitEnvironment } from '../lib/paths/safe-git.ts';
import { findRepository, hasHooks, repositoryPrograms as programsOf } from './repository.ts';

const env = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const repositoryPrograms = (folder: string) => programsOf(folder, env);
const init = (...folders: string[]) => {
  for (const folder of folders) execFileSync('git', ['init', '-q', folder], { env });
};

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Commands that are allowed without asking. */
const LOOKS = [
  ['status'],
  ['status', '--short'],
  ['diff'],
  ['diff', 'HEAD'],
  ['log', '-p'],
  ['show', 'HEAD'],
  ['blame', 'a.txt'],
  ['grep', 'one'],
  ['ls-files', '-m'],
];

/** A repository with a change in it, and a program that leaves a mark when run. */
async function hostileRepository() {
  const { root, home } = await workspace({ 'a.txt': 'one\n', 'b.bin': 'one\n' });
  const mark = path.join(home, 'mark');
  const evil = path.join(home, 'evil.sh');
  await writeFile(evil, `#!/bin/sh\necho ran > '${mark}'\ncat\n`);
  await chmod(evil, 0o755);
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
  git('init', '-q');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'a');
  git('add', '.');
  git('commit', '-qm', 'one');
  await writeFile(path.join(root, 'a.txt'), 'two\n');
  const look = (extra: NodeJS.ProcessEnv) => {
    rmSync(mark, { force: true });
    // The same content but newer: git has to read it, and would like to update its index.
    writeFileSync(path.join(root, 'b.bin'), 'one\n');
    for (const args of LOOKS) spawnSync('git', args, { cwd: root, env: { ...env, ...extra }, input: '' });
    return existsSync(mark);
  };
  return { root, git, evil, look };
}

type Repository = Awaited<ReturnType<typeof hostileRepository>>;

/** How a repository can get its own program run by read-only commands. */
const TRAPS: [name: string, set: (repository: Repository) => Promise<void>][] = [
  ['core.fsmonitor', async ({ git, evil }) => void git('config', 'core.fsmonitor', evil)],
  [
    'a hook that runs when the index is refreshed',
    async ({ git, evil, root }) => {
      await mkdir(path.join(root, 'hooks'));
      await writeFile(path.join(root, 'hooks/post-index-change'), `#!/bin/sh\nexec '${evil}'\n`, {
        mode: 0o755,
      });
      git('config', 'core.hooksPath', 'hooks');
    },
  ],
  ['an external diff', async ({ git, evil }) => void git('config', 'diff.external', evil)],
  [
    'textconv by an attribute',
    async ({ git, evil, root }) => {
      await writeFile(path.join(root, '.gitattributes'), '*.txt diff=evil\n');
      git('config', 'diff.evil.textconv', evil);
    },
  ],
  [
    'a diff driver by an attribute',
    async ({ git, evil, root }) => {
      await writeFile(path.join(root, '.git/info/attributes'), '*.txt diff=evil\n');
      git('config', 'diff.evil.command', evil);
    },
  ],
  [
    'a clean filter by an attribute',
    async ({ git, evil, root }) => {
      await writeFile(path.join(root, '.gitattributes'), '*.txt filter=evil\n');
      git('config', 'filter.evil.clean', evil);
    },
  ],
  [
    'a filter in a file that is included',
    async ({ git, evil, root }) => {
      await writeFile(path.join(root, '.gitattributes'), '*.txt filter=evil\n');
      await writeFile(path.join(root, 'more'), `[filter "evil"]\n\tclean = ${evil}\n`);
      git('config', 'include.path', '../more');
    },
  ],
];

describe.skipIf(!hasGit || process.platform === 'win32')('[Y06] a hostile repository', () => {
  test.each(TRAPS)('runs no program of its own through %s', async (_, set) => {
    const repository = await hostileRepository();
    await set(repository);
    const asks = repositoryPrograms(repository.root) !== null;

    expect(repository.look({})).toBe(true);
    if (!asks) expect(repository.look(safeGitEnvironment())).toBe(false);
  });

  test.each([
    ['a pager', 'core.pager'],
    ['a pager for one command', 'pager.log'],
    ['an alias named like a command', 'alias.status'],
    ['a program that checks signatures', 'gpg.program'],
    ['a program that connects', 'core.sshCommand'],
  ])('runs no program of its own through %s', async (_, key) => {
    const repository = await hostileRepository();
    repository.git('config', key, key.startsWith('alias') ? `!${repository.evil}` : repository.evil);

    expect(repository.look(safeGitEnvironment())).toBe(false);
  });

  test('a submodule with its own trap is not entered', async () => {
    const repository = await hostileRepository();
    const inner = await hostileRepository();
    inner.git('config', 'core.fsmonitor', inner.evil);
    const sub = path.join(repository.root, 'sub');
    execFileSync('cp', ['-r', inner.root, sub]);
    repository.git('-c', 'protocol.file.allow=always', 'add', 'sub');
    inner.look({});

    const marked = () => existsSync(path.join(path.dirname(inner.evil), 'mark'));
    rmSync(path.join(path.dirname(inner.evil), 'mark'), { force: true });
    repository.look({});
    expect(marked()).toBe(true);
    rmSync(path.join(path.dirname(inner.evil), 'mark'), { force: true });
    repository.look(safeGitEnvironment());
    expect(marked()).toBe(false);
  });

  test('an ordinary repository is allowed, and the environment does not change the output', async () => {
    const { root } = await hostileRepository();
    const show = (env: NodeJS.ProcessEnv) =>
      LOOKS.map((args) =>
        execFileSync('git', args, {
          cwd: root,
          env: { PATH: process.env.PATH ?? '', ...env },
          encoding: 'utf8',
        }).replace(/(?<=Not Committed Yet )[\d-]+ [\d:]+/, 'now'),
      );

    expect(repositoryPrograms(root)).toBeNull();
    expect(show(safeGitEnvironment())).toEqual(show({}));
  });
});

describe.skipIf(!hasGit)('settings that require asking first', () => {
  const table: [settings: string, asks: boolean][] = [
    ['[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.com/x\n', false],
    ['[core]\n\tfsmonitor = true\n', false],
    ['[core]\n\tfsmonitor = ./evil\n', true],
    [
      '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\trequired = true\n',
      false,
    ],
    ['[filter "lfs"]\n\tclean = "git-lfs clean -- %f; ./evil"\n', true],
    // A comment to git.
    ['[filter "lfs"]\n\tclean = git-lfs clean -- %f; ./evil\n', false],
    ['[FILTER "x"] CLEAN=./evil\n', true],
    ['[include]\n\tpath = x\n', true],
    ['[includeIf "gitdir:x"]\n\tpath = x\n', true],
    ['[core]\n\tworktree = /home/me\n', true],
    ['[diff]\n\trenames = true\n', false],
    ['[diff "x"]\n\ttextconv = ./evil\n', true],
    ['[extensions]\n\tpartialClone = origin\n', true],
    ['[submodule "a"]\n\tignore = none\n', true],
  ];
  test.each(table)('%j: %s', async (settings, asks) => {
    const { root } = await workspace({ 'a.txt': 'a' });
    init(root);
    await appendFile(path.join(root, '.git/config'), settings);
    expect(repositoryPrograms(root) !== null).toBe(asks);
  });
});

describe.skipIf(!hasGit || process.platform === 'win32')(
  'a folder belongs to the repository that git uses',
  () => {
    /** A repository with a filter, and how a folder in it can look like something else. */
    const disguises: [name: string, folder: string, disguise: (root: string) => void][] = [
      ['an ordinary subfolder', 'sub', () => undefined],
      ['an empty .git folder', 'sub', (root) => mkdirSync(path.join(root, 'sub/.git'))],
      [
        'a .git folder with objects and refs but no HEAD',
        'sub',
        (root) => {
          for (const name of ['objects', 'refs'])
            mkdirSync(path.join(root, 'sub/.git', name), { recursive: true });
        },
      ],
      ['a link to a folder', 'link', (root) => symlinkSync('sub', path.join(root, 'link'))],
      [
        'a .git file whose path has a newline',
        'sub',
        (root) => {
          init(path.join(root, 'odd\nname'));
          execFileSync('git', ['config', 'filter.x.clean', './evil'], {
            cwd: path.join(root, 'odd\nname'),
            env,
          });
          writeFileSync(path.join(root, 'odd\nname/.git/hooks/pre-commit'), '');
          writeFileSync(path.join(root, 'sub/.git'), 'gitdir: ../odd\nname/.git');
        },
      ],
      [
        'a .git file that says nothing',
        'sub',
        (root) => writeFileSync(path.join(root, 'sub/.git'), 'nothing'),
      ],
    ];
    test.each(disguises)('%s', async (_, folder, disguise) => {
      const { root } = await workspace({ 'sub/a.txt': 'a' });
      init(root);
      execFileSync('git', ['config', 'filter.x.clean', './evil'], { cwd: root, env });
      writeFileSync(path.join(root, '.git/hooks/pre-commit'), '');
      disguise(root);
      expect(repositoryPrograms(path.join(root, folder))).not.toBeNull();
      expect(hasHooks(path.join(root, folder), env)).toBe(true);
    });

    test('a worktree uses its shared settings', async () => {
      const { root } = await workspace({ 'main/a.txt': 'a' });
      const main = path.join(root, 'main');
      init(main);
      const git = (...args: string[]) => execFileSync('git', args, { cwd: main, env, stdio: 'pipe' });
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one', '--allow-empty');
      git('worktree', 'add', '-q', '../tree');
      git('config', 'filter.x.clean', './evil');
      expect(repositoryPrograms(path.join(root, 'tree'))).toContain('filter.x.clean');
      expect(findRepository(path.join(root, 'tree'), env)).toMatchObject({ top: path.join(root, 'tree') });
    });

    test('no repository names no programs', async () => {
      const { root } = await workspace({ 'a.txt': 'a' });
      expect(repositoryPrograms(root)).toBeNull();
      expect(hasHooks(root, env)).toBe(false);
    });
  },
);
