import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../test/support/free-port.ts';
import { put, repository } from '../../test/support/repositories.ts';
import { fetchRepository } from './fetch-repository.ts';
import { commitAt } from './remote-commit.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** A git daemon that serves a folder. */
async function serve(base: string): Promise<string> {
  const port = await freePort();
  const where = [
    '--listen=127.0.0.1',
    `--port=${port}`,
    '--export-all',
    `--base-path=${base}`,
    '--reuseaddr',
  ];
  const daemon = spawn('git', ['daemon', ...where, base], { stdio: 'ignore', detached: true });
  onTestFinished(() => void process.kill(-(daemon.pid ?? 0), 'SIGKILL'));
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const found = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'close')]).catch(
      () => false,
    );
    socket.destroy();
    if (found === true) return `git://127.0.0.1:${port}`;
    await pause(20);
  }
}

describe.skipIf(!hasGit || process.platform === 'win32')('the commit of a ref of a git server', () => {
  test('is that of the branch, the tag or HEAD, as git fetch finds it', async () => {
    const { base, root, env, git } = await repository({ 'a.txt': 'one\n' });
    const commit = (ref: string) => git('rev-parse', `${ref}^{commit}`).trim();
    git('tag', '-a', 'v1', '-m', 'with a message');
    git('branch', 'team/main');
    git('tag', 'main');
    put(root, { 'a.txt': 'two\n' });
    git('commit', '-qam', 'two');
    const url = `${await serve(base)}/${path.basename(root)}/.git`;

    const first = commit('v1');
    const last = commit('HEAD');
    expect(first).not.toBe(last);
    const refs = { HEAD: last, v1: first, 'team/main': first, 'heads/main': last, 'refs/heads/main': last };
    for (const [ref, id] of Object.entries({ ...refs, main: first }))
      expect({ ref, id: await commitAt({ url, ref }, env) }).toEqual({ ref, id });
    for (const ref of ['nothing', 'v', '--upload-pack=evil', first.slice(0, 8)])
      expect(await commitAt({ url, ref }, env)).toBeNull();
    // And it can be fetched by its id.
    const into = path.join(base, 'fetched');
    expect(
      await fetchRepository({ url, sha: first }, { into, env, signal: new AbortController().signal }),
    ).toBe(first);
  });

  test('is not known if the server does not answer, and no program of a repository here runs', async () => {
    const { root, env, git } = await repository({ 'a.txt': 'one\n' });
    git('config', 'core.sshCommand', `touch ${root}/ran; false`);
    git('config', 'url.ext::touch.insteadOf', 'https://127.0.0.1:1/');
    const cwd = process.cwd();
    process.chdir(root);
    onTestFinished(() => process.chdir(cwd));
    for (const url of ['https://127.0.0.1:1/a.git', 'ssh://127.0.0.1:1/a.git', 'ext::touch ran'])
      await expect(commitAt({ url, ref: 'HEAD' }, env)).rejects.toThrow('could not be fetched');
    expect(execFileSync('ls', { cwd: root, encoding: 'utf8' })).toBe('a.txt\n');
  });
});
