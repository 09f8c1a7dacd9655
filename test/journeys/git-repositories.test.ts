import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitIn, PROMPT, repository, start } from '../support/git-talk.ts';
import { calls, hangs, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';

describe('[U02] several repositories', () => {
  async function twoRepositories() {
    const { space, git } = await repository({ 'a.txt': 'alpha\n' });
    const other = path.join(space.home, 'other');
    await mkdir(other);
    const inOther = (...args: string[]) => gitIn(space, other, ...args);
    inOther('init', '-q', '-b', 'trunk');
    await writeFile(path.join(other, 'b.txt'), 'beta\n');
    inOther('add', '-A');
    inOther('commit', '-q', '-m', 'first: other');
    return { space, git, other, inOther };
  }

  test('with --add-dir, /diff and /commit work in each, and the model knows the folders', soak, async () => {
    const { space, git, other, inOther } = await twoRepositories();
    await writeFile(path.join(space.root, 'a.txt'), 'ALPHA\n');
    await writeFile(path.join(other, 'b.txt'), 'BETA\n');
    const { server, terminal } = await start(space, [says('a: shout'), says('b: shout'), says('hello')]);
    const talk = terminal('--add-dir', other);
    await talk.waitFor(PROMPT);
    talk.type('/diff\r');
    await talk.waitFor('+BETA');
    await talk.waitFor('+ALPHA');
    talk.type('/commit\r');
    for (const time of [1, 2]) {
      await talk.waitFor('Stage these changes?', time);
      talk.type('y\r');
      await talk.waitFor('Commit with this message?', time);
      talk.type('y\r');
    }
    await expect.poll(() => inOther('log', '-1', '--format=%s'), { timeout: 30_000 }).toBe('b: shout');
    expect(git('log', '-1', '--format=%s')).toBe('a: shout');
    talk.type('hi\r');
    await talk.waitFor('hello');
    expect(server.requests.at(-1)?.system).toContain(`Other folders to work in: ${other}`);
    talk.type('/quit\r');
    await talk.exitCode;
  });

  test(
    '/branch and /review work in each, and a review of the other one reaches the model',
    soak,
    async () => {
      const { space, git, other, inOther } = await twoRepositories();
      const { server, terminal } = await start(space, [
        says('ONE.'),
        says('TWO.'),
        says('THREE.'),
        says('hello'),
      ]);
      const plain = path.join(space.home, 'plain');
      await mkdir(plain);
      const talk = terminal('--add-dir', other, '--add-dir', plain);
      await talk.waitFor(PROMPT);
      talk.type('/branch\r');
      await talk.waitFor(`${space.root}:\n* main\n${other}:\n* trunk`);
      talk.type('/branch topic other\r');
      await talk.waitFor(`There is no branch topic in ${other}. Create it? [y/n] `);
      talk.type('y\r');
      await talk.waitFor(`On topic now in ${other}.`);
      talk.type('/branch x plain\r');
      await talk.waitFor('plain is not a repository of this session.');
      expect([git('branch', '--show-current'), inOther('branch', '--show-current')]).toEqual([
        'main',
        'topic',
      ]);

      await writeFile(path.join(space.root, 'a.txt'), 'ALPHA\n');
      await writeFile(path.join(other, 'b.txt'), 'BETA\n');
      talk.type('/review\r');
      await talk.waitFor('TWO.');
      await talk.waitFor(`Review of uncommitted changes in ${other}:`);
      inOther('commit', '-q', '-a', '-m', 'shout');
      talk.type('/review topic\r');
      await talk.waitFor('THREE.');
      talk.type('/review nowhere\r');
      await talk.waitFor('No branch or commit named nowhere.');
      talk.type('hi\r');
      await talk.waitFor('hello');
      const prompt = server.requests.at(-1)?.messages.findLast(({ role }) => role === 'user')?.text;
      expect(prompt).toContain('ONE.');
      expect(prompt).toContain(`A subagent reviewed branch topic compared with trunk in ${other}`);
      talk.type('/quit\r');
      await talk.exitCode;
    },
  );

  test(
    'one run changes files in both, /undo takes both back, and Ctrl-C stops a draft in the other',
    soak,
    async () => {
      const { space, git, other, inOther } = await twoRepositories();
      const { server, terminal } = await start(space, [
        calls(
          ['Write', { file_path: 'new.txt', content: 'new\n' }],
          ['Write', { file_path: path.join(other, 'new.txt'), content: 'new\n' }],
        ),
        says('Both done.'),
        hangs(),
      ]);
      const talk = terminal('--add-dir', other, '--mode', 'accept-edits');
      await talk.waitFor(PROMPT);
      talk.type('go\r');
      await talk.waitFor('Both done.');
      expect([git('status', '--short'), inOther('status', '--short')]).toEqual(['?? new.txt', '?? new.txt']);
      talk.type('/undo\r');
      await talk.waitFor('Undo this?');
      talk.type('y\r');
      await expect.poll(() => git('status', '--short') + inOther('status', '--short')).toBe('');
      await writeFile(path.join(other, 'b.txt'), 'BETA\n');
      inOther('add', '-A');
      talk.type('/commit\r');
      await talk.waitFor(`${other}:`);
      await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(3);
      talk.type('\x03');
      await talk.waitFor('Interrupted.');
      talk.type('/quit\r');
      await talk.exitCode;
      expect(inOther('log', '--format=%s')).toBe('first: other');
    },
  );

  test('one whose settings name programs is left out, and the others are not', soak, async () => {
    const { space, git, other, inOther } = await twoRepositories();
    inOther('config', 'filter.evil.clean', `touch ${path.join(space.home, 'canary')}; cat`);
    await writeFile(path.join(other, '.gitattributes'), '* filter=evil\n');
    await writeFile(path.join(space.root, 'a.txt'), 'ALPHA\n');
    git('add', '-A');
    const { terminal } = await start(space, [says('a: shout')]);
    const talk = terminal('--add-dir', other);
    await talk.waitFor(PROMPT);
    talk.type('/commit\r');
    await talk.waitFor(`${other}: Git was not run here`);
    await talk.waitFor('Commit with this message?');
    talk.type('y\r');
    await expect.poll(() => git('log', '-1', '--format=%s'), { timeout: 30_000 }).toBe('a: shout');
    talk.type('/quit\r');
    await talk.exitCode;
    expect(await readdir(space.home)).not.toContain('canary');
  });
});
