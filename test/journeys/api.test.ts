// @module-tag soak
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { buildProgram, node } from '../support/build-program.ts';
import { both, calls, fails, hangs, type Step, says, thinks } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

const run = promisify(execFile);
const modules = path.resolve('node_modules');
const tsc = path.join(modules, 'typescript/bin/tsc');

describe('the packed package in a program of somebody else', () => {
  let consumer = '';
  let base = '';

  // Packed in a folder of its own: other journeys run from dist/ at the same time.
  beforeAll(async () => {
    base = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-api-')));
    const source = path.join(base, 'source');
    consumer = path.join(base, 'consumer');
    await mkdir(source);
    for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'])
      await copyFile(name, path.join(source, name));
    const dist = path.join(source, 'dist');
    buildProgram('--outDir', dist);
    node('scripts/run-ts.mjs', 'scripts/types.ts', path.join(dist, 'types'));
    await run('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: source });
    const [tarball = ''] = (await readdir(source)).filter((name) => name.endsWith('.tgz'));

    const installed = path.join(consumer, 'node_modules/ai-code-assistant');
    await cp('examples/api', consumer, { recursive: true });
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', path.join(source, tarball), '--strip-components=1', '-C', installed]);
    for (const name of ['zod', '@types', '@vscode'])
      await symlink(path.join(modules, name), path.join(consumer, 'node_modules', name));
    await writeSnippets(path.join(consumer, 'src'));
    await run(process.execPath, [tsc], { cwd: consumer }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(`The example or docs/api.md does not compile:\n${stdout}`);
    });
  }, 180_000);

  afterAll(() => rm(base, { recursive: true, force: true, maxRetries: 3 }));

  /** The examples of the documentation, each as a module. */
  async function writeSnippets(folder: string): Promise<void> {
    const blocks = [...(await readFile('docs/api.md', 'utf8')).matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
    expect(blocks.length).toBeGreaterThan(4);
    // Fails to compile where wrong use would not be an error.
    const wrong =
      "import { createAgent } from 'ai-code-assistant';\n// @ts-expect-error: there is no such mode\n";
    await writeFile(
      path.join(folder, 'wrong.ts'),
      `${wrong}createAgent({ permissions: { mode: 'yolo' } });\n`,
    );
    for (const [i, [, text = '']] of blocks.entries())
      await writeFile(path.join(folder, `snippet-${i + 1}.ts`), `${text}\nexport {};\n`);
  }

  test('brings its types in one file, which names no other file of ours', async () => {
    const folder = path.join(consumer, 'node_modules/ai-code-assistant/dist/types');
    expect(await readdir(folder)).toEqual(['index.d.ts']);
    const types = await readFile(path.join(folder, 'index.d.ts'), 'utf8');
    expect([...types.matchAll(/from '(.+)'/g)].map(([, from]) => from)).toEqual(['zod']);
    expect(types).toBe(await readFile('etc/api.d.ts', 'utf8'));
  });

  test('the example with a tool works as a process and ends by itself', async () => {
    const space = await workspace({ 'add.js': 'export const add = (a, b) => a - b;\n' });
    const server = await serve([
      calls(['app__ticket', { number: 7 }]),
      calls(['Edit', { file_path: 'add.js', old_string: 'a - b', new_string: 'a + b' }]),
      calls(['Bash', { command: 'git push' }]),
      says('add.js adds now.'),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const outcome = await run(process.execPath, [path.join(consumer, 'dist/custom-tool.js'), '7'], {
      cwd: space.root,
      env: cleanEnv(space, { ...env, AI_ASSISTANT_MODEL: model }),
    });
    const lines = outcome.stdout.trim().split('\n');
    expect(lines.slice(0, -1)).toEqual([
      'ticket {"number":7}',
      'yes: Edit add.js',
      'Edit add.js',
      expect.stringMatching(/^no: Bash git push/),
    ]);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      text: 'add.js adds now.',
      stopReason: 'done',
      filesChanged: ['add.js'],
      refused: ['Bash'],
    });
    expect(await space.tree()).toEqual({ 'add.js': 'export const add = (a, b) => a + b;\n' });
    const [first, second] = server.requests;
    expect(JSON.stringify(first?.body.system)).toContain('You fix bugs.');
    expect(JSON.stringify(second?.body.messages)).toContain('It should add.');
  });

  /** An example that serves HTTP, at the address it prints. */
  async function startServer(name: string, script: readonly Step[], files: Record<string, string> = {}) {
    const space = await workspace(files);
    const server = await serve(script);
    const { model, env } = doors.anthropic(server.url);
    const child = spawn(process.execPath, [path.join(consumer, `dist/${name}.js`)], {
      cwd: space.root,
      env: cleanEnv(space, { ...env, AI_ASSISTANT_MODEL: model, PORT: '0' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const stop = async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      return (await ended)[0];
    };
    return { url: line.trim(), server, stop };
  }

  test('the bot answers, remembers each conversation, changes nothing, and ends when told', async () => {
    const write = calls(['Write', { file_path: 'new.txt', content: 'x' }]);
    const script = [says('one'), says('two'), says('other'), write, says('I cannot write.')];
    const { url, server, stop } = await startServer('bot', script, { 'a.txt': 'a\n' });
    const ask = async (conversation: string, text: string) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ conversation, text }) });
      return [response.status, await response.json()];
    };
    expect(await ask('a', 'first')).toEqual([200, { text: 'one' }]);
    expect(await ask('a', 'second')).toEqual([200, { text: 'two' }]);
    expect(await ask('b', 'third')).toEqual([200, { text: 'other' }]);
    expect(await ask('b', 'write')).toEqual([200, { text: 'I cannot write.' }]);
    const said = server.requests.map(({ messages }) =>
      messages
        .filter(({ role }) => role === 'user')
        .map(({ text }) => /first|second|third|write/.exec(text)?.[0]),
    );
    expect(said.slice(0, 3)).toEqual([['first'], ['first', 'second'], ['third']]);
    expect((await fetch(url, { method: 'POST', body: 'no JSON' })).status).toBe(400);
    expect(await stop()).toBe(0);
  });

  test('the stream sends the text piece by piece, and then how it ended', async () => {
    const { url, stop } = await startServer('stream', [says('Hello to the browser.')]);
    const response = await fetch(`${url}/?question=hi`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text())
      .trim()
      .split('\n\n')
      .map((event) => /^event: (\w+)\ndata: (.*)$/.exec(event)?.slice(1) ?? []);
    const text = events.filter(([name]) => name === 'text').map(([, data = '']) => JSON.parse(data));
    expect(text.join('')).toBe('Hello to the browser.');
    expect(events.at(-1)?.[0]).toBe('end');
    expect(JSON.parse(events.at(-1)?.[1] ?? '')).toMatchObject({ stopReason: 'done' });
    expect((await fetch(url)).status).toBe(400);
    expect(await stop()).toBe(0);
  });

  test('a browser that goes away ends the run', async () => {
    const { url, server, stop } = await startServer('stream', [hangs(), says('next')]);
    const left = new AbortController();
    const response = fetch(`${url}/?question=hi`, { signal: left.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    left.abort();
    await expect(response.then((one) => one.text())).rejects.toThrow();
    expect(await (await fetch(`${url}/?question=again`)).text()).toContain('next');
    expect(await stop()).toBe(0);
  });

  test.each([
    [
      'findings',
      [calls(['app__report', { file: 'add.js', line: 1, problem: 'It subtracts.' }]), says('done')],
      1,
      'add.js:1: It subtracts.\n',
      '',
    ],
    ['none', [says('All is well.')], 0, '', ''],
    ['a failure', [fails(400, { message: 'no' })], 2, '', 'The review did not finish: '],
  ] as const)('the check of a change exits by what it found: %s', async (_, script, code, stdout, stderr) => {
    const space = await workspace({ 'add.js': 'export const add = (a, b) => a + b;\n' });
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: space.root });
    await git('init', '-q', '-b', 'main');
    await git('add', '.');
    await git('commit', '-qm', 'first');
    await writeFile(path.join(space.root, 'add.js'), 'export const add = (a, b) => a - b;\n');
    await git('commit', '-qam', 'second');
    const server = await serve([...script]);
    const { model, env } = doors.anthropic(server.url);
    const outcome = await run(process.execPath, [path.join(consumer, 'dist/ci-check.js'), 'HEAD~1'], {
      cwd: space.root,
      env: cleanEnv(space, { ...env, AI_ASSISTANT_MODEL: model }),
    }).then(
      (done) => ({ code: 0, ...done }),
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    );
    expect(outcome).toMatchObject({ code, stdout, stderr: expect.stringContaining(stderr) });
    expect(server.requests[0]?.messages[0]?.text).toContain('+export const add = (a, b) => a - b;');
  });

  test('the examples say what went wrong, and exit with an error', async () => {
    const space = await workspace({ 'a.txt': '' });
    const server = await serve([fails(400, { message: 'not today' })]);
    const { model, env } = doors.anthropic(server.url);
    const example = (...args: string[]) =>
      run(process.execPath, args, {
        cwd: space.root,
        env: cleanEnv(space, { ...env, AI_ASSISTANT_MODEL: model }),
      });
    await expect(example(path.join(consumer, 'dist/ci-check.js'), 'nosuchbase')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^No diff: .*\n(.*\n)*Name a commit or branch to compare with\.\n$/),
    });
    await expect(example(path.join(consumer, 'dist/custom-tool.js'))).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"stopReason":"error"'),
      stderr: expect.stringMatching(/^The work did not finish: .*not today/),
    });
  });

  test('without a key it says so and ends', async () => {
    const space = await workspace();
    const outcome = run(process.execPath, [path.join(consumer, 'dist/custom-tool.js')], {
      cwd: space.root,
      env: cleanEnv(space, { AI_ASSISTANT_MODEL: 'anthropic/claude-sonnet-4-20250514' }),
    });
    await expect(outcome).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No API key for anthropic.'),
    });
  });
});

describe('the schemas of the documentation', () => {
  const read = async (name: string): Promise<object> =>
    JSON.parse(await readFile(`docs/schemas/${name}.json`, 'utf8')) as object;

  async function problemsOf(stdout: string): Promise<{ problems: string[]; kinds: Set<string> }> {
    const [event, result] = await Promise.all(
      ['event', 'result'].map(async (name) =>
        new Ajv2020({ strict: true, allowUnionTypes: true }).compile(await read(name)),
      ),
    );
    const lines = stdout.trim().split('\n');
    const problems = lines.filter((line) => {
      const value = JSON.parse(line) as { type: string };
      const check = value.type === 'result' ? result : event;
      return check?.(value) !== true;
    });
    return { problems, kinds: new Set(lines.map((line) => (JSON.parse(line) as { type: string }).type)) };
  }

  async function streamOf(script: Step[], args: string[] = []): Promise<string> {
    const server = await serve(script);
    const { model, env } = doors.anthropic(server.url);
    const space = await workspace({ 'add.js': 'a - b\n' });
    const all = ['-p', 'go', '--model', model, '--output-format', 'stream-json', ...args];
    return (await aca(space, all, { env })).stdout;
  }

  test('every line of real runs fits them', async () => {
    const edit = both('I mend it.', ['Edit', { file_path: 'add.js', old_string: '-', new_string: '+' }]);
    const commands = calls(['Bash', { command: 'echo hi' }], ['Bash', { command: 'git push' }]);
    const search = calls(['Grep', { pattern: 'a' }], ['Todo', { items: [{ text: 'x', status: 'done' }] }]);
    const streams = await Promise.all([
      streamOf([fails(529), thinks('hm', edit), commands, search, says('done')], ['--mode', 'accept-edits']),
      streamOf([fails(401)]),
      streamOf([calls(['Task', { description: 'look', prompt: 'look' }]), says('seen'), says('ok')]),
    ]);
    const { problems, kinds } = await problemsOf(streams.join(''));
    expect(problems).toEqual([]);
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'run_start',
        'text',
        'thinking',
        'judged',
        'tool_end',
        'retry',
        'usage',
        'message',
        'end',
        'result',
      ]),
    );
  });

  test('and what does not fit is found', async () => {
    const { problems } = await problemsOf(
      '{"type":"turn_start","turn":"one"}\n{"type":"nothing"}\n{"type":"result"}\n',
    );
    expect(problems).toHaveLength(3);
  });
});
