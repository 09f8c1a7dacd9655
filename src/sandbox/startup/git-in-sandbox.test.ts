import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { rounds, soak } from '../../../test/support/soak.ts';
import { type Workspace, workspace } from '../../../test/support/workspace.ts';
import { parseGitConfig } from './git-config.ts';
import { concerningSettings } from './harmless-git.ts';
import { createStartupWatch } from './startup-watch.ts';

vi.setConfig({ testTimeout: 60_000 });

const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, ...identity, ...args], { stdio: 'pipe' }).toString();

/** A repository with a remote, a submodule and two commits, in `work/`. */
async function repository(): Promise<Workspace> {
  const space = await workspace({ 'work/a.txt': 'a\n', 'module/m.txt': 'm\n' });
  const at = (name: string) => path.join(space.root, name);
  for (const name of ['work', 'module']) {
    git(at(name), 'init', '-q', '-b', 'main');
    git(at(name), 'add', '-A');
    git(at(name), 'commit', '-qm', 'one');
  }
  git(at('work'), 'submodule', '--quiet', 'add', at('module'), 'sub');
  git(at('work'), 'commit', '-qam', 'two');
  git(space.root, 'clone', '-q', '--bare', 'work', 'origin.git');
  git(at('work'), 'remote', 'add', 'origin', at('origin.git'));
  git(at('work'), 'fetch', '-q');
  return space;
}

/** Commands in the sandbox, with the check that follows each. */
function checked(space: Workspace, folder = 'work') {
  const cwd = path.join(space.root, folder);
  const { run } = sandboxedShellIn(space, { writablePaths: [path.join(space.root, 'origin.git')] }, cwd);
  const watch = createStartupWatch({
    roots: [cwd],
    folder: path.join(space.home, 'aside'),
    home: space.home,
  });
  return async (command: string, { follow = false } = {}) => {
    await watch.enter({ mounted: true });
    const stop = follow ? watch.followGit(() => void watch.check()) : undefined;
    try {
      const outcome = await run(command, { gitConfig: true });
      const found = await watch.check();
      return { ...outcome, found: found.map((one) => path.relative(cwd, one.path)) };
    } finally {
      stop?.();
      watch.leave();
    }
  };
}

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

const free = [
  'git config user.name a && git config user.email a@b.c',
  'git status',
  'echo b > b.txt && git add b.txt',
  'git commit -m b',
  'git commit --amend --no-edit',
  'git branch feature',
  'git switch feature',
  'git checkout -b from-remote origin/main',
  'git branch --set-upstream-to=origin/main feature',
  'git branch --unset-upstream feature',
  'git branch -m feature renamed',
  'git branch --edit-description renamed',
  'git branch -D renamed',
  'git switch main',
  'git tag v1',
  'git tag -a v2 -m two',
  'git tag -d v1',
  'echo c >> a.txt && git stash',
  'git stash pop',
  'git restore a.txt',
  'git reset --hard HEAD~1',
  'git merge from-remote',
  'git cherry-pick HEAD --allow-empty --keep-redundant-commits',
  'git rebase --root',
  'echo d > d.txt && git add d.txt && git commit -qm d && git revert --no-edit HEAD',
  'git reflog expire --expire=now --all',
  'git remote add fork https://example.com/a/b.git',
  'git remote rename fork other',
  'git remote remove other',
  'git fetch origin',
  'git push -u origin HEAD:refs/heads/pushed',
  'git pull --rebase origin main',
  'git worktree add trees/one -b tree',
  'git -C trees/one commit --allow-empty -m three',
  'git worktree move trees/one trees/two',
  'git worktree remove trees/two',
  'git worktree prune',
  'git sparse-checkout set --cone docs && git sparse-checkout disable',
  'git submodule update --init',
  'git submodule deinit -f sub',
  'git gc --quiet && git repack -adq && git pack-refs --all',
  'git notes add -m note HEAD',
  'git bisect start && git bisect reset',
  'git update-ref refs/heads/raw HEAD',
  'git symbolic-ref HEAD refs/heads/raw',
  'git config pull.rebase true && git config --unset pull.rebase',
  'git config alias.lg "log --oneline --graph"',
  'git config core.fsmonitor false',
  'git init',
  'git clone -q . copy && git -C copy branch x',
  'git maintenance run --quiet',
];

test(
  'git work that changes only the repository succeeds in the sandbox, without a question',
  soak,
  async () => {
    const run = checked(await repository());
    const env = 'export GIT_EDITOR=true GIT_ALLOW_PROTOCOL=file;';
    for (const command of free) {
      const { exitCode, stderr, found } = await run(`${env} ${command}`);
      expect({ command, exitCode, found, stderr: exitCode === 0 ? '' : stderr }).toEqual({
        command,
        exitCode: 0,
        found: [],
        stderr: '',
      });
    }
  },
);

const executable = [
  'core.fsmonitor ./evil',
  'core.hooksPath hooks',
  'core.sshCommand evil',
  'core.pager evil',
  'core.editor evil',
  'core.askPass evil',
  'core.gitProxy evil',
  'core.attributesFile evil',
  'core.alternateRefsCommand evil',
  'core.worktree /',
  'filter.x.clean evil',
  'filter.lfs.process ./evil',
  'diff.x.textconv evil',
  'diff.external evil',
  'merge.x.driver evil',
  'mergetool.x.cmd evil',
  'difftool.x.cmd evil',
  'alias.st !evil',
  'alias.co "diff --ext-diff"',
  'alias.lo "log \\"--output=x\\""',
  'include.path ../evil',
  'includeIf.gitdir:/.path ../evil',
  'credential.helper ./evil',
  'credential.https://example.com.helper evil',
  'gpg.program evil',
  'gpg.ssh.program evil',
  'sequence.editor evil',
  'pager.log evil',
  'browser.x.cmd evil',
  'interactive.diffFilter evil',
  'trailer.x.command evil',
  'uploadpack.packObjectsHook evil',
  'gc.recentObjectsHook evil',
  'remote.origin.url https://evil.example/a.git',
  'remote.origin.pushurl https://evil.example/a.git',
  'remote.origin.uploadpack evil',
  'remote.x.url "ext::sh -c evil"',
  'remote.x.vcs evil',
  'branch.main.remote "ext::sh -c evil"',
  'submodule.sub.update !evil',
  'url.https://evil.example/.insteadOf https://example.com/',
  'http.proxy http://evil.example',
  'http.sslVerify false',
  'init.templateDir evil',
  'protocol.ext.allow always',
  'safe.directory x',
  'unknown.key x',
];

const attacks: [command: string, found: string[]][] = [
  ...executable.map((setting): [string, string[]] => [`git config ${setting}`, ['.git/config']]),
  ['git config --worktree core.pager evil', ['.git/config']],
  ['git -C sub config core.fsmonitor evil', ['.git/modules/sub/config']],
  ['printf "[core] fsmonitor = evil\\n" >> .git/config', ['.git/config']],
  ['printf "[CoRe]\\nFSMonitor = ev\\\\\\nil\\n" >> .git/config', ['.git/config']],
  ['printf "[core]\\nfsmonitor = \\"" >> .git/config', ['.git/config']],
  ['cp .git/config x && echo "[core] pager = evil" >> x && mv x .git/config', ['.git/config']],
  ['cp .git/config x && rm .git/config && ln -s ../x .git/config', ['.git/config']],
  [
    'head -c 21000000 /dev/zero | tr "\\0" "#" >> .git/config; printf "\\n[core] pager = evil" >> .git/config',
    ['.git/config'],
  ],
  [
    'git config extensions.worktreeConfig true; echo "[core] pager = evil" > .git/config.worktree',
    ['.git/config.worktree'],
  ],
  ['cp -r .git/. evil; echo ../evil > .git/commondir', ['.git/commondir']],
  [
    'git worktree add -q tree; echo ../../../evil > .git/worktrees/tree/commondir',
    ['.git/worktrees/tree/commondir'],
  ],
  ['mkdir -p .git/info; echo "* filter=x" > .git/info/attributes', ['.git/info/attributes']],
  ['git init -q new; echo evil > new/.git/hooks/pre-commit', ['new/.git/hooks/pre-commit']],
  ['git init -q new; git -C new config core.fsmonitor evil', ['new/.git/config']],
  ['git init -q new; rm -rf new/.git/hooks; mkdir x; ln -s ../../x new/.git/hooks', ['new/.git/hooks']],
  ['git init -q --bare new.x; mkdir y; echo "gitdir: ../new.x" > y/.git', ['y/.git']],
  ['echo "gitdir: ../evil" > sub/.git', ['sub/.git']],
  ['git init -q new; mv new/.git z; ln -s ../z new/.git', ['new/.git']],
  [
    'mkdir -p .git/modules/a/objects/b; cp -r .git/config .git/HEAD .git/modules/a; cp -r .git/HEAD .git/modules/a/objects/b; mkdir y; echo "gitdir: ../.git/modules/a/objects/b" > y/.git',
    ['y/.git'],
  ],
];

describe('what makes git run programs', () => {
  test('is recognized in the config', async () => {
    const { root } = await workspace();
    for (const setting of executable) {
      const file = path.join(root, 'config');
      await rm(file, { force: true });
      execFileSync('sh', ['-c', `git config --file ${file} ${setting}`]);
      const before = [{ key: 'remote.origin.fetch', value: 'x' }];
      const after = parseGitConfig(await readFile(file, 'latin1')) ?? [];
      expect([setting, concerningSettings(after, { before, isOwn: () => false })]).toEqual([setting, after]);
    }
  });

  test('is put back after the command', soak, async () => {
    const space = await repository();
    const run = checked(space);
    const at = (name: string) => path.join(space.root, 'work', name);
    await run('git config core.bare false');
    const original = await readFile(at('.git/config'), 'utf8');
    for (const [command, found] of attacks) {
      const outcome = await run(command);
      expect({ command, found: outcome.found.sort() }).toEqual({ command, found });
      if (found[0] === '.git/config') expect(await readFile(at('.git/config'), 'utf8')).toBe(original);
      await writeFile(at('.git/config'), original);
      const made = 'new new.x x y z evil tree .git/worktrees .git/modules/a .git/config.worktree'.split(' ');
      for (const name of made) await rm(at(name), { recursive: true, force: true });
    }
  });

  test('hooks of the repository cannot be changed at all, nor the folder moved', async () => {
    const run = checked(await repository());
    for (const command of [
      'echo evil > .git/hooks/pre-commit',
      'rm -rf .git/hooks',
      'mv .git/hooks x',
      'mv .git x',
      'echo evil > .git/modules/sub/hooks/x',
    ])
      expect([command, (await run(command)).exitCode]).not.toEqual([command, 0]);
  });

  test('is put back while the command still runs', soak, async () => {
    const space = await repository();
    const run = checked(space);
    const wait = 'for i in $(seq 200); do grep -q evil .git/config || exit 0; sleep 0.05; done; exit 1';
    expect(await run(`git config core.fsmonitor evil; ${wait}`, { follow: true })).toMatchObject({
      exitCode: 0,
    });
  });

  test(
    'a worktree whose repository is elsewhere has the same freedom and the same limits',
    soak,
    async () => {
      const space = await repository();
      git(path.join(space.root, 'work'), 'worktree', 'add', '-q', '../tree');
      const run = checked(space, 'tree');
      expect(await run('git checkout -q -b next origin/main && git config branch.next.merge')).toMatchObject({
        exitCode: 0,
        stdout: 'refs/heads/main\n',
        found: [],
      });
      expect((await run('git config core.pager evil')).found).toEqual(['../work/.git/config']);
      expect(git(path.join(space.root, 'work'), 'config', '--list')).not.toContain('evil');
    },
  );

  test('a submodule, and a folder within the repository, too', soak, async () => {
    const space = await repository();
    for (const [folder, config] of [
      ['work/sub', '../.git/modules/sub/config'],
      ['work/docs', '../.git/config'],
    ] as const) {
      execFileSync('mkdir', ['-p', path.join(space.root, folder)]);
      const run = checked(space, folder);
      expect(await run('git checkout -q -b next && git config branch.next.description x')).toMatchObject({
        exitCode: 0,
        found: [],
      });
      expect((await run('git config core.pager evil')).found).toEqual([config]);
    }
  });
});

test('property: the config is read as git reads it, or not at all', soak, async () => {
  const { root } = await workspace();
  const file = path.join(root, 'config');
  const piece = fc.constantFrom(
    ...[
      '[core]',
      '[a "b"]',
      '[a "b\\"c"]',
      '[A.b]',
      '[x',
      ']',
      '\n',
      '\r\n',
      ' ',
      '\t',
      '=',
      ' = ',
      '"',
      '\\',
      '\\\n',
    ],
    ...[
      '#',
      ';',
      'name',
      'Name-1',
      '1x',
      'value',
      '\\n',
      '\\t',
      '\\x',
      'é',
      "'",
      '[',
      '\n[core]\n',
      'true',
      '\n\tname = a b ',
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (pieces) => {
      const text = `[core]\n${pieces.join('')}`;
      await writeFile(file, text);
      const ours = parseGitConfig(Buffer.from(text).toString('latin1'));
      const theirs = listed(file);
      if (ours !== null)
        expect({ text, ours: ours.map(({ key, value }) => spaced(`${key}\n${value}`)) }).toEqual({
          text,
          ours: theirs?.map(spaced),
        });
    }),
    { numRuns: rounds(300, 1_500) },
  );
});

/** Versions of git differ in what they do with tabs inside a value. */
const spaced = (text: string) => text.replaceAll(/[\t\r]/g, ' ');

/** What git finds in a config; null if it is malformed. */
function listed(file: string): string[] | null {
  try {
    const out = execFileSync('git', ['config', '--file', file, '--list', '-z'], {
      stdio: 'pipe',
      encoding: 'latin1',
    });
    return out
      .split('\0')
      .slice(0, -1)
      .map((entry) => (entry.includes('\n') ? entry : `${entry}\ntrue`));
  } catch {
    return null;
  }
}

test('configs that git itself writes are read', () => {
  const text = '[core]\n\tbare = false\n[remote "a/b \\"c\\""]\n\turl = "x;y" # note\n[branch "m"]\n\tx\n';
  expect(parseGitConfig(text)).toEqual([
    { key: 'core.bare', value: 'false' },
    { key: 'remote.a/b "c".url', value: 'x;y' },
    { key: 'branch.m.x', value: 'true' },
  ]);
  expect(
    concerningSettings([{ key: 'core.pager', value: 'a' }], {
      before: [{ key: 'core.pager', value: 'a' }],
      isOwn: () => false,
    }),
  ).toEqual([]);
});
