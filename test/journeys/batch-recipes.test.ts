// @module-tag soak
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { cleanEnv } from '../support/aca.ts';
import { obedientModel, repository } from '../support/batch.ts';
import { mustRun } from '../support/needed.ts';
import { acaOnPath, isInstalled } from '../support/on-path.ts';

const [migrate = '', collect = '', evaluate = '', nightly = ''] = await recipes();

/** The shell texts of the recipes, in their order. */
async function recipes(): Promise<string[]> {
  const [, text = ''] = (await readFile('docs/batch.md', 'utf8')).split('\n## Recipes\n');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = '']) => script);
}

/** A repository of JavaScript, a model that obeys, and a shell that ends at the first command that fails. */
async function lab(files: Record<string, string>) {
  const { space, git } = await repository({ 'src/a.js': 'a\n', 'src/lib/b.js': 'b\n', ...files });
  const { env, server } = await obedientModel();
  const PATH = await acaOnPath(space);
  const all = cleanEnv(space, { ...env, PATH, OLLAMA_HOST: server.url, GITHUB_STEP_SUMMARY: 'summary.md' });
  const bash = async (script: string) => {
    const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script];
    const run = promisify(execFile)('bash', args, { cwd: space.root, env: all });
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );
  };
  return { space, git, bash };
}

const task = (id: string, prompt: string, more: object = {}) =>
  `${JSON.stringify({ id, prompt, checkRetries: 0, ...more })}\n`;

test('a code base is migrated file by file, and what worked is collected', async ({ skip }) => {
  skip(!mustRun && !isInstalled('jq'), 'jq is not installed (apt install jq)');
  const { space, git, bash } = await lab({
    'prompts/to-typescript.md': 'run: mv {{file}} {{folder}}/{{name}}.ts\n',
  });
  const compiler = path.join(space.home, 'bin/npx');
  await writeFile(compiler, '#!/bin/sh\nexit 0\n');
  await chmod(compiler, 0o755);

  const { code, text } = await bash(migrate);
  expect([code, text]).toEqual([0, expect.stringMatching(/aca\/.*\n.*aca\//)]);
  expect(await bash(collect)).toMatchObject({ code: 0 });
  expect(git('status', '--short', 'src').split('\n')).toEqual([
    'R  src/a.js -> src/a.ts',
    'R  src/lib/b.js -> src/lib/b.ts',
  ]);
});

test('models are compared by the same tasks', async () => {
  const { space, bash } = await lab({ 'evaluation.jsonl': task('one', 'run: true', { checks: ['true'] }) });
  expect(await bash(evaluate)).toMatchObject({ code: 0 });
  const results = await readFile(path.join(space.root, 'evaluation-results.jsonl'), 'utf8');
  const models = results
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).model);
  expect(models.toSorted()).toEqual([
    expect.stringMatching(/^anthropic\/.*haiku/),
    expect.stringMatching(/^anthropic\/.*sonnet/),
    'ollama/qwen3:8b',
  ]);
});

test('a nightly batch keeps its report, also if tasks fail and there was a batch before', async () => {
  const tasks = task('good', 'run: touch made') + task('bad', 'run: true', { checks: ['false'] });
  const { space, bash } = await lab({ 'nightly.jsonl': tasks });
  await mkdir(path.join(space.home, '.ai-assistant/batches/20200101-0000-aaaa'), { recursive: true });
  const workflow = parse(await readFile('examples/ci/nightly.yml', 'utf8'));
  const { run } = workflow.jobs.batch.steps.find(({ name }: { name?: string }) => name === 'Run');
  for (const script of [nightly, run]) {
    expect(await bash(script)).toMatchObject({ code: 11 });
    const kept = await readdir(space.root);
    expect(kept).toEqual(expect.arrayContaining(['patches', 'report.html', 'report.md', 'results.jsonl']));
    expect(await readdir(path.join(space.root, 'patches'))).toEqual(['good.patch']);
  }
  expect(await readFile(path.join(space.root, 'summary.md'), 'utf8')).toContain('bad');
});
