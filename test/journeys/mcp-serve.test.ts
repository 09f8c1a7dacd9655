import { spawn } from 'node:child_process';
import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cleanEnv, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { isRunning } from '../support/processes.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

async function overLines(space: Workspace, args: string[] = [], env: Record<string, string> = {}) {
  const line = program(['mcp', 'serve', ...args]);
  const transport = new StdioClientTransport({
    command: line.file,
    args: line.args,
    cwd: space.root,
    env: cleanEnv(space, env),
    stderr: 'ignore',
  });
  return { client: await connect(transport as Transport), transport };
}

/** The program behind HTTP, as it says of itself. */
async function overHttp(space: Workspace, args: string[] = [], env: Record<string, string> = {}) {
  const line = program(['mcp', 'serve', '--http', '0', ...args]);
  const child = spawn(line.file, line.args, {
    cwd: space.root,
    env: cleanEnv(space, env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const url = await new Promise<string>((resolve) => {
    child.stderr.on('data', (text: Buffer) => {
      said += String(text);
      const found = /at (http:\S+)\nToken: in (\S+)\n/.exec(said);
      if (found) resolve(found[1] ?? '');
    });
  });
  const file = path.join(space.home, '.ai-assistant/mcp/serve-token');
  const token = (await readFile(file, 'utf8')).trim();
  const stop = async () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url, token, file, stop };
}

const open = (url: string, token: string) =>
  connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }) as Transport,
  );

/** What a request gets that came here under this name. */
function statusAs(host: string, url: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    get(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

describe('the assistant as a server, to the official client', () => {
  test('over standard input: tools are judged, what would be asked is refused and said, the end of input ends it', async () => {
    const space = await workspace({ 'a.txt': 'hello\n' });
    const { client, transport } = await overLines(space, ['--allow', 'Bash(touch made)']);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Read', 'Edit', 'Bash', 'run_task']));
    expect(names).not.toContain('AskUser');
    expect(tools.find(({ name }) => name === 'Read')?.annotations).toEqual({ readOnlyHint: true });

    expect(await client.callTool({ name: 'Read', arguments: { file_path: 'a.txt' } })).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('hello') }],
      isError: false,
    });
    const refused = await client.callTool({ name: 'Write', arguments: { file_path: 'b.txt', content: 'x' } });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toContain('nobody can approve it in this run');
    expect(await client.callTool({ name: 'Bash', arguments: { command: 'touch made' } })).toMatchObject({
      isError: false,
    });
    expect(await client.callTool({ name: 'Read', arguments: { file: 1 } })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'Fly', arguments: {} })).rejects.toThrow('Unknown tool Fly.');
    expect(await space.tree()).toEqual({ 'a.txt': 'hello\n', made: '' });

    const pid = transport.pid ?? 0;
    expect(await isRunning(pid)).toBe(true);
    await client.close();
    expect(await isRunning(pid)).toBe(false);
  });

  test('a rule opens a path outside; without one it is refused, and the audit log says so', async () => {
    const space = await workspace();
    const outside = path.join(path.dirname(space.root), 'outside.txt');
    await writeFile(outside, 'alpha\n');
    const read = { name: 'Read', arguments: { file_path: outside } };
    const edit = {
      name: 'Edit',
      arguments: { file_path: outside, old_string: 'alpha', new_string: 'beta' },
    };
    const { client } = await overLines(space, ['--allow', `Read(${outside})`]);
    expect(await client.callTool(read)).toMatchObject({ isError: false, content: [{ text: '1\talpha' }] });
    expect(await client.callTool(edit)).toMatchObject({ isError: true });
    await client.close();
    expect(await readFile(outside, 'utf8')).toBe('alpha\n');
    const audit = await readFile(path.join(space.home, '.ai-assistant/audit.jsonl'), 'utf8');
    const judged = audit
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string; tool?: string; verdict?: string })
      .filter(({ type }) => type === 'judged');
    expect(judged.map(({ tool, verdict }) => [tool, verdict])).toEqual([
      ['Read', 'allow'],
      ['Edit', 'deny'],
    ]);
  });

  test('run_task does a whole task with the model that is set up, and tells what was refused', async () => {
    const space = await workspace({ 'a.txt': 'hello\n' });
    const server = await serve([
      calls(['Read', { file_path: 'a.txt' }], ['Write', { file_path: 'b.txt', content: 'x' }]),
      says('The file says hello.'),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const { client } = await overLines(space, ['--model', model], env);
    const steps: unknown[] = [];
    const result = await client.callTool({ name: 'run_task', arguments: { task: 'look' } }, undefined, {
      onprogress: ({ message }) => steps.push(message),
    });
    expect(result.isError).toBe(false);
    const [{ text }] = result.content as [{ text: string }];
    expect(text).toMatch(/^The file says hello\.\nRefused: Write: Write .* needs approval/);
    expect(steps).toContain('Read a.txt');
    expect(await space.tree()).toEqual({ 'a.txt': 'hello\n' });
  });

  test('over HTTP: the token opens, and only to this machine and no web page', soak, async () => {
    const space = await workspace({ 'a.txt': 'hello\n' });
    const { url, token, file, stop } = await overHttp(space, ['--mode', 'accept-edits']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const one = await open(url, token);
    const two = await open(url, token);
    await one.callTool({ name: 'Write', arguments: { file_path: 'b.txt', content: 'x' } });
    expect(await two.callTool({ name: 'Read', arguments: { file_path: 'b.txt' } })).toMatchObject({
      isError: false,
    });
    expect(await space.tree()).toEqual({ 'a.txt': 'hello\n', 'b.txt': 'x' });

    await expect(open(url, 'wrong')).rejects.toThrow('The token is missing or wrong.');
    const post = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, ...headers }, body: '{}' });
    expect((await post({ origin: 'https://evil.test' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect(await statusAs('rebound.evil.test', url, token)).toBe(403);
    expect(await statusAs('localhost', url, token)).toBe(400);
    expect((await post({ 'mcp-session-id': 'made up' })).status).toBe(404);
    expect((await fetch(url)).status).toBe(401);
    expect(
      (await fetch(url.replace('/mcp', '/other'), { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(404);
    await Promise.all([one.close(), two.close()]);
    expect(await stop()).toBe(143);
  });
});

describe('calls that change one file take turns', () => {
  const LINES = [...Array(12).keys()];
  const start = LINES.map((i) => `line ${i};\n`).join('');
  const ended = LINES.map((i) => `done ${i};\n`).join('');
  const names = ['a.txt', './a.txt', 'link.txt', 'folder/../a.txt'];
  const editLine = (i: number, file_path: string) => ({
    name: 'Edit',
    arguments: { file_path, old_string: `line ${i};`, new_string: `done ${i};` },
  });

  async function project(): Promise<Workspace> {
    const space = await workspace({ 'a.txt': start, 'folder/b.txt': 'b\n' });
    await symlink('a.txt', path.join(space.root, 'link.txt'));
    return space;
  }

  /** Every line edited at once, by these clients in turn and by every name of the file. */
  async function editAll(clients: readonly Client[]): Promise<unknown[]> {
    const results = await Promise.all(
      LINES.map((i) => clients[i % clients.length]?.callTool(editLine(i, names[i % names.length] ?? ''))),
    );
    return results.filter((result) => result?.isError !== false);
  }

  test('one client over standard input', soak, async () => {
    const space = await project();
    const { client } = await overLines(space, ['--mode', 'accept-edits']);
    expect(await editAll([client])).toEqual([]);
    expect((await space.tree())['a.txt']).toBe(ended);
  });

  test('three clients over standard input, each with a process of its own', soak, async () => {
    const space = await project();
    const clients = await Promise.all(
      [0, 1, 2].map(async () => (await overLines(space, ['--mode', 'accept-edits'])).client),
    );
    const edits = (i: number) => clients[i % 3]?.callTool(editLine(i, names[i % names.length] ?? ''));
    const first = await Promise.all([0, 1, 2].map(edits));
    expect(first.filter((result) => result?.isError !== false)).toEqual([]);

    // By now each has seen a file that others change: that is refused and said, and nothing is lost.
    const others = await Promise.all(LINES.slice(3).map(edits));
    const refused = others.filter((result) => result?.isError !== false);
    for (const { content } of refused.flatMap((result) => result ?? []))
      expect(JSON.stringify(content)).toContain('File modified since last read');
    const made = [...first, ...others].map((result) => result?.isError === false);
    const expected = LINES.map((i) => `${made[i] ? 'done' : 'line'} ${i};\n`).join('');
    expect((await space.tree())['a.txt']).toBe(expected);
  });

  test('two clients over HTTP, with every tool that changes files', soak, async () => {
    const space = await project();
    const { url, token, stop } = await overHttp(space, ['--mode', 'accept-edits', '--allow', 'Delete']);
    const clients = [await open(url, token), await open(url, token)];
    expect(await editAll(clients)).toEqual([]);
    expect((await space.tree())['a.txt']).toBe(ended);

    const write = (i: number) => ({
      name: 'Write',
      arguments: { file_path: names[i % names.length], content: `${i}\n` },
    });
    const written = await Promise.all(LINES.map((i) => clients[i % 2]?.callTool(write(i))));
    expect(written.filter((result) => result?.isError !== false)).toEqual([]);
    expect((await space.tree())['a.txt']).toMatch(/^\d+\n$/);

    const [removed, again] = await Promise.all(
      clients.map((client) => client.callTool({ name: 'Delete', arguments: { file_path: 'a.txt' } })),
    );
    expect([removed?.isError, again?.isError].sort()).toEqual([false, true]);
    expect(JSON.stringify([removed, again])).not.toContain('changed by another program');
    expect(await stop()).toBe(143);
  });
});
