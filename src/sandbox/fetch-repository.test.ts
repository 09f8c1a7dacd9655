import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchRepository } from './fetch-repository.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), 'fetch-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const { signal } = new AbortController();

function git(...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd: path.join(place, 'work'),
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  }).trim();
}

/** A repository with two commits; the first is tagged. */
function repository(): { url: string; commits: string[] } {
  execFileSync('git', ['init', '-q', '-b', 'main', path.join(place, 'work')]);
  const commit = (text: string) => {
    writeFileSync(path.join(place, 'work', 'a.txt'), text);
    git('add', '-A');
    git('commit', '-qm', text);
    return git('rev-parse', 'HEAD');
  };
  const first = commit('one');
  git('tag', 'v1');
  return { url: `file://${path.join(place, 'work')}`, commits: [first, commit('two')] };
}

const into = () => path.join(place, 'copy');
const textOf = (name: string) => readFileSync(path.join(into(), name), 'utf8');

test.each([
  ['the newest commit', {}, 1],
  ['a tag', { ref: 'v1' }, 0],
  ['a branch', { ref: 'main' }, 1],
])('%s', async (_, wanted, at) => {
  const { url, commits } = repository();
  const found = await fetchRepository({ url, ...wanted }, { into: into(), env: process.env, signal });
  expect({ found, text: textOf('a.txt') }).toEqual({ found: commits[at], text: ['one', 'two'][at] });
});

test('an exact commit, also an older one of a server that sends only branches', async () => {
  const { url, commits } = repository();
  const [sha = ''] = commits;
  expect(await fetchRepository({ url, sha }, { into: into(), env: process.env, signal })).toBe(sha);
  expect(textOf('a.txt')).toBe('one');
  rmSync(into(), { recursive: true });
  const other = '0'.repeat(40);
  await expect(
    fetchRepository({ url, sha: other }, { into: into(), env: process.env, signal }),
  ).rejects.toThrow();
  expect(existsSync(into())).toBe(false);
});

test('neither filters nor hooks run, whatever the repository and the user configure', async () => {
  const { url } = repository();
  const program = path.join(place, 'planted');
  writeFileSync(program, `#!/bin/sh\ntouch ${path.join(place, 'ran')}\ncat\n`);
  chmodSync(program, 0o755);
  writeFileSync(path.join(place, 'work', '.gitattributes'), '* filter=evil\n');
  git('add', '-A');
  git('commit', '-qm', 'attributes');
  const config = path.join(place, 'gitconfig');
  writeFileSync(config, `[filter "evil"]\n\tsmudge = ${program}\n[core]\n\thooksPath = ${place}\n`);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: config };
  await fetchRepository({ url }, { into: into(), env, signal });
  expect(textOf('a.txt')).toBe('two');
  expect(existsSync(path.join(place, 'ran'))).toBe(false);
});

test.each([[`ext::sh -c "touch ran"`], ['fd::3'], ['file:///nonexistent/repository']])(
  '%s is refused with a reason, and leaves nothing',
  async (url) => {
    await expect(fetchRepository({ url }, { into: into(), env: process.env, signal })).rejects.toThrow(
      'could not be fetched',
    );
    expect(existsSync(into())).toBe(false);
  },
);

test('a password in the URL is in no message', async () => {
  const url = 'http://user:secretpw@127.0.0.1:1/x.git';
  const failure = fetchRepository({ url }, { into: into(), env: process.env, signal });
  await expect(failure).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:1\/x\.git could not be fetched: (?!.*secretpw)/,
  );
});
