import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { put, repository } from '../../test/support/repositories.ts';
import { soak } from '../../test/support/soak.ts';
import { programSetting } from '../lib/paths/git-programs.ts';
import { gitEnvironment } from '../lib/paths/safe-git.ts';
import { createGit, runGit } from './git.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Every setting in git's documentation, with a driver, a remote and the like where it has a placeholder. */
function documentedKeys(): string[] {
  const keys = execFileSync('git', ['help', '--config'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => /^[a-z][\w-]*\..*[^_]$/i.test(line) && !line.includes('_') && !line.includes(' '))
    .map((key) =>
      key
        .replace(/<(driver|tool|name|format|id|filter)>/, 'evil')
        .replace('includeIf.<condition>', 'includeIf.gitdir:**')
        .replace('gpg.evil', 'gpg.ssh')
        .replace(/<(url|base|pattern)>/, 'https://evil.example')
        .replace('pager.<cmd>', 'pager.diff')
        .replace(/<[^>]+>/, 'evil')
        .replace(/\.\*$/, '.evil'),
    );
  // Documented in other manual pages, or in newer versions.
  const others = ['filter.evil.process', 'tar.evil.command', 'trailer.evil.cmd', 'trailer.evil.command'];
  return [
    ...new Set([...keys, ...others, 'extensions.partialClone', 'hook.evil.command', 'hook.evil.event']),
  ];
}

/** Of another type than text, without naming themselves when git stops at them. */
const TYPED =
  /^(core\.createObject|fetch\.negotiationAlgorithm|(blame|log)\.date|diff\.ignoreSubmodules|branch\.sort|format\.pretty|color\..*|remote\..*\.(fetch|push))$/;

const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit'],
  ...['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge'],
  ...['pre-push', 'reference-transaction', 'push-to-checkout', 'pre-auto-gc', 'post-rewrite'],
  ...['fsmonitor-watchman', 'post-index-change', 'sendemail-validate', 'p4-pre-submit'],
];

/** What the program runs in the user's repository. */
const QUERIES = [
  ['rev-parse', '--is-inside-work-tree'],
  ['status', '--porcelain', '--ignored'],
  ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '-M', 'HEAD'],
  ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '-M', '--stat=100', '--cached'],
  ['log', '-15', '--format=%s'],
  ['log', '-1', '-p'],
  ['show', 'HEAD'],
  ['branch', '--format=%(refname:short)', '--sort=-committerdate'],
  ['ls-files', '--others', '--exclude-standard', '-z'],
  ['worktree', 'list', '--porcelain'],
  ['rev-list', '--count', 'HEAD'],
  ['blame', 'a.txt'],
];
const ACTIONS = [
  ['add', '--update', '--', ':/'],
  ['commit', '--file=-', '--cleanup=strip'],
  ['switch', '--create', 'topic'],
  ['worktree', 'add', '-b', 'tree', '../tree'],
  ['worktree', 'remove', '--force', '../tree'],
  ['branch', '--delete', '--force', 'tree'],
];

async function baited() {
  const repo = await repository({ 'a.txt': 'one\n', 'b.bin': 'one\n' });
  const mark = path.join(repo.base, 'mark');
  const evil = path.join(repo.base, 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\n# SECRET-LINE\necho "$0 $*" >> '${mark}'\ncat\n`, { mode: 0o755 });
  for (const hook of HOOKS)
    writeFileSync(path.join(repo.root, '.git/hooks', hook), `#!/bin/sh\nexec '${evil}'\n`, { mode: 0o755 });
  put(repo.root, { '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
  rmSync(mark, { force: true });
  return { ...repo, evil, ran: () => (existsSync(mark) ? readFileSync(mark, 'utf8') : null) };
}

describe.skipIf(!hasGit || process.platform === 'win32')('a repository that is not trusted', () => {
  test('runs nothing and shows no other file, whatever setting and hook names it', soak, async () => {
    const { root, env, evil, ran } = await baited();
    const config = path.join(root, '.git/config');
    const original = readFileSync(config, 'utf8');
    const section = (key: string) => {
      const [, head = '', middle, name = ''] = /^([^.]+)\.(?:(.*)\.)?([^.]+)$/.exec(key) ?? [];
      return `[${head}${middle === undefined ? '' : ` "${middle}"`}]\n\t${name} = ${evil}\n`;
    };
    const keys = documentedKeys();
    const refused = keys.filter((key) => programSetting([{ key: key.toLowerCase(), value: evil }]) !== null);
    let accepted = keys.filter((key) => !refused.includes(key) && !TYPED.test(key));
    const lay = (keys: string[]) => writeFileSync(config, original + keys.map(section).join(''));
    const startOver = (text: string) => {
      writeFileSync(config, original);
      for (const args of [
        ['switch', '-qf', 'main'],
        ['worktree', 'prune'],
        ['branch', '-D', 'topic', 'tree'],
      ])
        spawnSync('git', args, { cwd: root, env: { ...env, ...gitEnvironment('change', env) } });
      rmSync(path.join(root, '../tree'), { recursive: true, force: true });
      put(root, { 'a.txt': text });
      lay(accepted);
    };
    // A setting of another type than text stops git, which names it.
    for (let before = -1; before !== accepted.length; ) {
      before = accepted.length;
      startOver(`${before}\n`);
      for (const args of [...QUERIES, ...ACTIONS]) {
        for (let left = -1; left !== accepted.length; ) {
          left = accepted.length;
          const { err } = await runGit(args, { cwd: root, env, use: 'change', input: 'message\n' });
          const named = [...err.matchAll(/[a-z][\w-]*\.[^\s']+/gi)].map(([key]) => key.toLowerCase());
          accepted = accepted.filter((key) => !named.includes(key.toLowerCase()));
          lay(accepted);
        }
      }
    }
    expect(refused.length).toBeGreaterThan(25);
    expect(accepted.length).toBeGreaterThan(300);

    startOver('last\n');
    const git = createGit({ cwd: root, env, trusted: null });
    const done = [];
    for (const args of QUERIES) done.push(await git.query(...args));
    for (const args of ACTIONS) done.push(await git.act(args, { input: 'message\n' }));
    const shown = done.map(({ out, err }) => out + err);
    expect(done.filter(({ success }) => !success)).toEqual([]);
    expect(ran()).toBe(null);
    expect(shown.join('')).not.toContain('SECRET-LINE');

    for (const key of refused) {
      writeFileSync(config, original + section(key));
      await expect(git.query('status'), key).rejects.toThrow('Git was not run here');
      await expect(git.act(['commit', '--file=-']), key).rejects.toThrow('Git was not run here');
    }
    expect(ran()).toBe(null);
  });

  test('does what the user typed without its hooks', async () => {
    const { root, env, git, ran } = await baited();
    rmSync(path.join(root, '.gitattributes'));
    put(root, { 'a.txt': 'two\n' });
    const outside = createGit({ cwd: root, env, trusted: null });
    for (const args of ACTIONS)
      expect(await outside.act(args, { input: 'message\n' })).toMatchObject({ success: true });
    expect(git('-c', 'core.hooksPath=/dev/null', 'log', '--format=%s')).toBe('message\none\n');
    expect(ran()).toBe(null);
    put(root, { 'a.txt': 'three\n' });
    await createGit({ cwd: root, env, trusted: root }).act(['commit', '-am', 'trusted']);
    expect(ran()).toContain('evil.sh');
  });

  test('is not trusted because a folder in it is', async () => {
    const { root, env, git, evil, ran } = await baited();
    git('config', 'filter.evil.clean', evil);
    mkdirSync(path.join(root, 'sub/.git'), { recursive: true });
    const sub = path.join(root, 'sub');
    const inner = createGit({ cwd: sub, env, trusted: sub });
    await expect(inner.query('status')).rejects.toThrow('filter.evil.clean');
    expect(ran()).toBe(null);
  });
});
