import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanEnv, doors, type Outcome } from '../support/aca.ts';
import { deadUrl } from '../support/loopback.ts';
import { type Step, says } from '../support/model-server/script.ts';
import { acaOnPath, isInstalled } from '../support/on-path.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Many starts of the program in one test: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const examples = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../examples');

beforeEach(({ skip }) => {
  skip(!isInstalled('git'), 'git is not installed');
  skip(!isInstalled('bash'), 'bash is not installed');
});

/** Runs a text as the shells of CI do: the first command that fails ends it. */
function bash(script: string, space: Workspace, env: Record<string, string>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-e', '-c', script], {
      cwd: space.root,
      env: cleanEnv(space, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      outcome.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      outcome.stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...outcome, code }));
  });
}

/** A repository with one commit, a model that says this, and `aca` on the PATH. */
async function repository(script: readonly Step[]) {
  const space = await workspace({ 'add.js': 'export const add = (a, b) => a + b;\n' });
  const server = await serve(script);
  const { model, env } = doors['openai-chat'](server.url);
  const all = {
    ...env,
    PATH: await acaOnPath(space),
    AI_ASSISTANT_MODEL: model,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const run = (script: string, more: Record<string, string> = {}) => bash(script, space, { ...all, ...more });
  await run('git init -q -b main . && git add . && git commit -qm first');
  return { space, server, run };
}

describe('[N04] the pre-commit hook', () => {
  async function withHook(script: readonly Step[]) {
    const made = await repository(script);
    const hook = path.join(made.space.root, '.git/hooks/pre-commit');
    await mkdir(path.dirname(hook), { recursive: true });
    await copyFile(path.join(examples, 'pre-commit/pre-commit'), hook);
    await chmod(hook, 0o755);
    await writeFile(path.join(made.space.root, 'add.js'), 'export const add = (a, b) => a - b;\n');
    const commit = (env: Record<string, string> = {}) => made.run('git commit -qam second', env);
    const count = async () => (await made.run('git rev-list --count HEAD')).stdout.trim();
    return { ...made, commit, count };
  }

  test('stops a commit that the model finds a bug in, and says which', async () => {
    const { commit, count, server } = await withHook([says('STOP\nadd.js:1 subtracts instead of adding.')]);
    expect(await commit()).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'add.js:1 subtracts instead of adding.\nNot committed. Fix it, or commit anyway with: ACA_REVIEW=off git commit\n',
    });
    expect(await count()).toBe('1');
    expect(server.requests[0]?.messages[0]?.text).toContain('+export const add = (a, b) => a - b;');
  });

  test('lets pass what nothing speaks against', async () => {
    const { commit, count } = await withHook([says('PASS')]);
    expect(await commit()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await count()).toBe('2');
  });

  test('lets pass what cannot be reviewed, and asks nobody when it is switched off', soak, async () => {
    const { commit, count, run, server } = await withHook([]);
    const { code, stderr } = await commit({ AI_ASSISTANT_MODEL: 'nobody/knows-this' });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Warning: this commit was not reviewed.\n')]);
    expect(await count()).toBe('2');
    await run('echo >> add.js');
    expect(await commit({ ACA_REVIEW: 'off', OPENAI_BASE_URL: await deadUrl() })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect([await count(), server.requests.length]).toEqual(['3', 0]);
  });
});

/** The shell texts under `run:` of a workflow, by the names of their steps. */
function stepsOf(workflow: string): Map<string, string> {
  const steps = new Map<string, string>();
  const pattern =
    /^ {6}- name: (.+)\n(?:^ {8}(?!run:).*\n|^\s*\n)*^ {8}run: (.*)\n((?:^ {10}.*\n|^\s*\n)*)/gm;
  for (const [, name = '', first = '', rest = ''] of workflow.matchAll(pattern))
    steps.set(name, first === '|' ? rest.replaceAll(/^ {10}/gm, '') : first);
  return steps;
}

test('[N04] the GitHub workflow reviews a change and comments on it', async () => {
  const { space, run, server } = await repository([says('add.js:1 subtracts.')]);
  const steps = stepsOf(await readFile(path.join(examples, 'ci/github-action.yml'), 'utf8'));
  expect([...steps.keys()]).toEqual(['Install', 'Review', 'Write the comment', 'Comment']);
  expect(steps.get('Install')).toBe(`npm install -g ai-code-assistant@${version}`);
  const gh = path.join(space.home, 'bin/gh');
  await writeFile(gh, '#!/bin/sh\necho "$@"\ncat "$5"\n');
  await chmod(gh, 0o755);
  const base = (await run('git rev-parse HEAD')).stdout.trim();
  await writeFile(path.join(space.root, 'add.js'), 'export const add = (a, b) => a - b;\n');
  await run('git commit -qam change');

  const review = await run(steps.get('Review') ?? 'false', { BASE: base });
  expect(review).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(server.requests[0]?.messages[0]?.text).toContain('+export const add = (a, b) => a - b;');
  expect(await run(steps.get('Write the comment') ?? 'false')).toMatchObject({ code: 0 });
  const { code, stdout } = await run(steps.get('Comment') ?? 'false', { PULL_REQUEST: '7' });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^pr comment 7 --body-file review\.md\nadd\.js:1 subtracts\.\n\n<sub>This review cost \$\d+\.\d\d\.<\/sub>\n$/,
  );
});

test('[N04] the GitHub workflow has the permissions it needs', async () => {
  const text = await readFile(path.join(examples, 'ci/github-action.yml'), 'utf8');
  const asked = [...text.matchAll(/^( *)permissions:(.*)\n((?:\1 +.*\n)*)/gm)].map(
    ([, , first, rest]) => `${first}${rest}`,
  );
  expect(asked).toEqual([' {}', '      contents: read\n      pull-requests: write # the comment\n']);
});

test('[N04] the GitHub workflow fails where there was no review', soak, async () => {
  const { run } = await repository([]);
  const steps = stepsOf(await readFile(path.join(examples, 'ci/github-action.yml'), 'utf8'));
  const { code } = await run(steps.get('Review') ?? 'true', {
    BASE: 'HEAD',
    AI_ASSISTANT_MODEL: 'nobody/knows',
  });
  expect(code).not.toBe(0);
});

test('[N04] the GitLab job reviews a change and keeps the review', async () => {
  const { space, run } = await repository([says('add.js:1 subtracts.')]);
  const text = await readFile(path.join(examples, 'ci/gitlab-ci.yml'), 'utf8');
  const block = /^ {2}script:\n((?: {4}.*\n)+)/m.exec(text)?.[1] ?? '';
  const [install = '', ...lines] = block
    .replaceAll(/^ {4}#.*\n/gm, '')
    .split(/^ {4}- /m)
    .slice(1)
    .map((line) => line.replace(/^\|\n/, '').replaceAll(/^ {6}/gm, ''));
  expect(install).toBe(`npm install -g ai-code-assistant@${version}\n`);
  const base = (await run('git rev-parse HEAD')).stdout.trim();
  await writeFile(path.join(space.root, 'add.js'), 'export const add = (a, b) => a - b;\n');
  await run('git commit -qam change');
  const { code, stdout } = await run(lines.join(''), { CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  expect([code, stdout]).toEqual([0, 'add.js:1 subtracts.\n']);
});

test.each(['Dockerfile', 'worker.Dockerfile'])(
  '[N04] the image of %s runs as an ordinary user, leaves no package lists behind, and names its program as a list',
  async (name) => {
    const text = await readFile(path.join(examples, 'docker', name), 'utf8');
    const instructions = text
      .replaceAll(/^#.*\n/gm, '')
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1, 3) ?? ['?', line]);
    const named = (name: string) =>
      instructions.filter(([word]) => word === name).map(([, rest = '']) => rest);
    const known = ['ARG', 'FROM', 'RUN', 'COPY', 'ENV', 'USER', 'WORKDIR', 'ENTRYPOINT', 'CMD'];
    expect(instructions.map(([word]) => word).filter((word) => !known.includes(word ?? ''))).toEqual([]);
    expect(named('USER')).toEqual(['aca']);
    expect(named('COPY')).toEqual(['--from=install /aca /usr/local/bin/aca']);
    expect(named('ARG')[0]).toBe(`VERSION=${version}`);
    expect(JSON.parse(named('ENTRYPOINT')[0] ?? '')).toEqual(['aca']);
    for (const line of named('RUN').filter((run) => run.includes('apt-get')))
      expect(line).toMatch(/--no-install-recommends .*rm -rf \/var\/lib\/apt\/lists/);
  },
);
