import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { gitIn, PROMPT, repository, start } from '../support/git-talk.ts';
import { calls, hangs, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

describe('[U02] /commit', () => {
  test('writes a message from the staged diff, asks, and commits with the hooks', soak, async () => {
    const { space, git } = await repository({ 'a.txt': 'alpha\n', 'b.txt': 'beta\n' });
    await writeFile(path.join(space.root, '.git/hooks/pre-commit'), '#!/bin/sh\necho ran > hook-ran\n');
    await chmod(path.join(space.root, '.git/hooks/pre-commit'), 0o755);
    await writeFile(path.join(space.root, 'a.txt'), 'gamma\n');
    git('add', 'a.txt');
    await writeFile(path.join(space.root, 'b.txt'), 'not staged\n');
    const { server, terminal } = await start(space, [
      says('```\na: say gamma\n```'),
      says('a: gamma instead of alpha\n\nIt reads better.'),
    ]);
    const talk = terminal();
    await talk.waitFor(PROMPT);
    talk.type('/commit for readers\r');
    await talk.waitFor('a: say gamma');
    await talk.waitFor('Commit with this message? [y/n, or say what to change] ');
    talk.type('say what it was before\r');
    await talk.waitFor('It reads better.');
    await talk.waitFor('Commit with this message?', 2);
    expect(git('log', '--format=%s')).toBe('first: begin');
    talk.type('y\r');
    await talk.waitFor('1 file changed');
    talk.type('/quit\r');
    await talk.exitCode;

    expect(git('log', '-1', '--format=%B')).toBe('a: gamma instead of alpha\n\nIt reads better.');
    expect(git('show', '--format=', '--name-only', 'HEAD')).toBe('a.txt');
    expect(await readFile(path.join(space.root, 'hook-ran'), 'utf8')).toBe('ran\n');
    await talk.waitFor('Repository hooks that will run: pre-commit');
    const [first, second] = server.requests.map(({ messages }) => messages[0]?.text ?? '');
    expect(first).toContain('+gamma');
    expect(first).toContain('first: begin');
    expect(first).toContain('for readers');
    expect(first).not.toContain('not staged');
    expect(second).toContain('say what it was before');
  });

  test('a hook that refuses is heard, and nothing is committed without a yes', soak, async () => {
    const { space, git } = await repository({ 'a.txt': 'alpha\n' });
    await writeFile(
      path.join(space.root, '.git/hooks/commit-msg'),
      '#!/bin/sh\necho too short >&2\nexit 1\n',
    );
    await chmod(path.join(space.root, '.git/hooks/commit-msg'), 0o755);
    await writeFile(path.join(space.root, 'a.txt'), 'gamma\n');
    const { terminal } = await start(space, [says('a'), says('a')]);
    const talk = terminal();
    await talk.waitFor(PROMPT);
    talk.type('/commit\r');
    await talk.waitFor('Nothing is staged. Stage these changes? [y/n] ');
    talk.type('y\r');
    await talk.waitFor('Commit with this message?');
    talk.type('n\r');
    await talk.waitFor('Nothing was committed.');
    talk.type('/commit\r');
    await talk.waitFor('Commit with this message?', 2);
    talk.type('y\r');
    await talk.waitFor('Git refused the commit:');
    await talk.waitFor('too short');
    talk.type('/quit\r');
    await talk.exitCode;
    expect(git('log', '--format=%s')).toBe('first: begin');
    expect(git('diff', '--cached', '--name-only')).toBe('a.txt');
  });

  test('Ctrl-C while the message is written ends that and not the conversation', soak, async () => {
    const { space, git } = await repository({ 'a.txt': 'alpha\n' });
    await writeFile(path.join(space.root, 'a.txt'), 'gamma\n');
    git('add', '-A');
    const { server, terminal } = await start(space, [hangs(), says('still here')]);
    const talk = terminal();
    await talk.waitFor(PROMPT);
    talk.type('/commit\r');
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    talk.type('\x03');
    await talk.waitFor('Interrupted. Nothing was changed.');
    talk.type('hello\r');
    await talk.waitFor('still here');
    talk.type('/quit\r');
    expect(await talk.exitCode).toBe(0);
  });
});

describe('[U02] /review', () => {
  test('a subagent that can only look reviews what is not committed, and the conversation learns of it', async () => {
    const { space } = await repository({ 'a.txt': 'alpha\n' });
    await writeFile(path.join(space.root, 'a.txt'), 'gamma\n');
    await writeFile(path.join(space.root, 'new.txt'), 'new\n');
    const { server, terminal } = await start(space, [
      calls(['Read', { file_path: 'new.txt' }]),
      says('a.txt:1 should say alpha.'),
      says('I know.'),
    ]);
    const talk = terminal();
    await talk.waitFor(PROMPT);
    talk.type('/review\r');
    await talk.waitFor('Review of uncommitted changes:');
    await talk.waitFor('a.txt:1 should say alpha.');
    await talk.waitFor('[review: uncommitted changes] → Read new.txt');
    talk.type('fix it\r');
    await talk.waitFor('I know.');
    talk.type('/quit\r');
    await talk.exitCode;
    const [first, , third] = server.requests;
    expect(first?.tools).toEqual(['Read', 'Glob', 'Grep', 'Search', 'List']);
    expect(first?.messages[0]?.text).toContain('-alpha\n+gamma');
    expect(first?.messages[0]?.text).toContain('new.txt');
    expect(third?.messages[0]?.text).toMatch(
      /^\[A subagent reviewed uncommitted changes for the user[\s\S]*fix it$/,
    );
    const sessions = await readdir(path.join(space.home, '.ai-assistant/sessions'));
    expect(sessions.filter((name) => name.endsWith('.subagents')).length).toBe(1);
  });

  test(
    'a branch is reviewed as what it adds, a commit as what it changed, and nothing as nothing',
    soak,
    async () => {
      const { space, git } = await repository({ 'a.txt': 'alpha\n' });
      git('switch', '-q', '-c', 'topic');
      await writeFile(path.join(space.root, 'a.txt'), 'topic\n');
      git('commit', '-q', '-a', '-m', 'topic: change');
      git('switch', '-q', 'main');
      await writeFile(path.join(space.root, 'b.txt'), 'main goes on\n');
      git('add', '-A');
      git('commit', '-q', '-m', 'main: go on');
      const { server, terminal } = await start(space, [says('fine'), says('good')]);
      const talk = terminal();
      await talk.waitFor(PROMPT);
      talk.type('/review topic\r');
      await talk.waitFor('Review of branch topic compared with main:');
      talk.type('/review HEAD\r');
      await talk.waitFor('Review of commit ');
      talk.type('/review\r');
      await talk.waitFor('Nothing to review.');
      talk.type('/review nowhere\r');
      await talk.waitFor('No branch or commit named nowhere.');
      talk.type('/review --output=x\r');
      await talk.waitFor('--output=x contains no changes.');
      talk.type('/quit\r');
      await talk.exitCode;
      const [branch, commit] = server.requests.map(({ messages }) => messages[0]?.text ?? '');
      expect(branch).toContain('+topic');
      expect(branch).not.toContain('main goes on');
      expect(commit).toContain('+main goes on');
      expect((await readdir(space.root)).sort()).toEqual(['.git', 'a.txt', 'b.txt']);
    },
  );

  test("a repository's own programs do not run before trust", async () => {
    const { space, git } = await repository({
      'a.txt': 'alpha\n',
      '.gitattributes': '* filter=evil diff=evil\n',
    });
    git('config', 'filter.evil.clean', `touch ${path.join(space.home, 'canary')}; cat`);
    git('config', 'diff.evil.command', `touch ${path.join(space.home, 'canary')}`);
    await writeFile(path.join(space.root, 'a.txt'), 'gamma\n');
    const { terminal } = await start(space, []);
    const talk = terminal();
    await talk.waitFor(PROMPT);
    for (const [i, command] of ['/review', '/commit', '/branch x'].entries()) {
      talk.type(`${command}\r`);
      await talk.waitFor('Git was not run here:', i + 1);
    }
    talk.type('/quit\r');
    await talk.exitCode;
    expect(await readdir(space.home)).not.toContain('canary');
  });
});

test('[U02] /branch shows branches, begins one after a yes, and goes back', async () => {
  const { space, git } = await repository({ 'a.txt': 'alpha\n' });
  const { terminal } = await start(space, []);
  const talk = terminal();
  await talk.waitFor(PROMPT);
  talk.type('/branch\r');
  await talk.waitFor('* main');
  talk.type('/branch topic\r');
  await talk.waitFor('There is no branch topic. Create it? [y/n] ');
  talk.type('y\r');
  await talk.waitFor('On topic now.');
  talk.type('/branch main\r');
  await talk.waitFor('On main now.');
  talk.type('/quit\r');
  await talk.exitCode;
  expect(git('branch', '--format=%(refname:short)').split('\n')).toEqual(['main', 'topic']);
});

describe('[U02] --worktree', () => {
  const beside = (space: Workspace, name: string) => `${space.root}.worktrees/${name}`;

  test('the session works there, on a branch of its own; changes stay and are told', async () => {
    const { space, git } = await repository({ 'a.txt': 'alpha\n', 'sub/b.txt': 'beta\n' });
    const { server, run } = await start(space, [
      calls(['Write', { file_path: 'made.txt', content: 'made\n' }]),
      says('Done.'),
    ]);
    const args = ['-p', 'go', '--worktree=fix', '--mode', 'accept-edits'];
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([0, 'Done.\n']);
    expect(server.requests[0]?.system).toContain(`Working directory: ${beside(space, 'fix')}`);
    expect(await readFile(path.join(beside(space, 'fix'), 'made.txt'), 'utf8')).toBe('made\n');
    expect(git('status', '--porcelain')).toBe('');
    expect(gitIn(space, beside(space, 'fix'), 'branch', '--show-current')).toBe('aca/fix');
    expect(stderr).toContain(
      `Kept the worktree ${beside(space, 'fix')} on branch aca/fix: 1 file not committed.`,
    );
  });

  test('one in which nothing was changed is gone at the end, with its branch', soak, async () => {
    const { space, git } = await repository({ 'a.txt': 'alpha\n' });
    const { run } = await start(space, [says('Nothing to do.')]);
    const { code, stderr } = await run(['-p', 'go', '--worktree']);
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing changed; the worktree and its branch were removed.');
    expect(git('branch', '--format=%(refname:short)')).toBe('main');
    expect(git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect(await readdir(`${space.root}.worktrees`)).toEqual([]);
  });

  test(
    'a second session goes on in the same one; commits, and files that git ignores, are kept',
    soak,
    async () => {
      const { space } = await repository({ 'a.txt': 'alpha\n', '.gitignore': 'ignored\n' });
      const { run } = await start(space, [
        calls(['Write', { file_path: 'ignored', content: 'precious\n' }]),
        says('one'),
        calls(['Read', { file_path: 'ignored' }]),
        says('two'),
      ]);
      const args = ['-p', 'go', '--worktree=fix', '--mode', 'accept-edits'];
      expect((await run(args)).stderr).toMatch(
        /Kept the worktree .* on branch aca\/fix: 1 file not committed\./,
      );
      const second = await run(args);
      expect(second).toMatchObject({ code: 0, stdout: 'two\n' });
      expect(second.stderr).toMatch(/Kept the worktree .* on branch aca\/fix/);
    },
  );

  test(
    'trust in the project holds there, as long as its files are those that were trusted',
    soak,
    async () => {
      const settings = JSON.stringify({ permissions: { allow: ['Write'] } });
      const { space, git } = await repository({ '.ai-assistant.json': settings });
      const { run } = await start(space, [
        calls(['Write', { file_path: 'one', content: '1' }]),
        says('one'),
        calls(['Write', { file_path: 'two', content: '2' }]),
        says('two'),
      ]);
      expect((await aca(space, ['trust'])).code).toBe(0);
      expect(await run(['-p', 'go', '--worktree=one'])).toMatchObject({ code: 0, stdout: 'one\n' });

      const other = JSON.stringify({ permissions: { allow: ['Write', 'Bash'] } });
      await writeFile(path.join(space.root, '.ai-assistant.json'), other);
      git('commit', '-q', '-a', '-m', 'looser');
      await writeFile(path.join(space.root, '.ai-assistant.json'), settings);
      expect(await run(['-p', 'go', '--worktree=two'])).toMatchObject({ code: 3, stdout: 'two\n' });
    },
  );

  test('a folder that is no repository, and a name that is none, are told', soak, async () => {
    const space = await workspace();
    const { run } = await start(space, []);
    expect(await run(['-p', 'go', '--worktree=x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this folder is not in one'),
    });
    expect(await run(['-p', 'go', '--worktree=../x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"../x" is not a valid worktree name.'),
    });
  });
});
