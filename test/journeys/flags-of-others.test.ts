import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { published } from '../support/mcp.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (args: string[], options: AcaOptions = {}) =>
    aca(space, [...args, '--model', model], { env, ...options });
  return { server, run };
}

describe('flags that scripts for other assistants use', () => {
  test('a prompt of its own, more of it from a file, an id, and only the named tools', soak, async () => {
    const space = await workspace({ 'rules.txt': 'Always answer in Latin.\n', 'AGENTS.md': 'Use tabs.\n' });
    const { run, server } = await start(space, [says('Salve.')]);
    const id = '123e4567-e89b-42d3-a456-426614174000';
    const flags = ['--system-prompt', 'You are a poet.', '--append-system-prompt-file', 'rules.txt'];
    const args = ['-p', 'hi', ...flags, '--session-id', id, '--tools', 'Read,TodoWrite'];
    const { code, stdout } = await run([...args, '--output-format', 'json']);
    const [request] = server.requests;
    expect({ code, sessionId: (JSON.parse(stdout) as { sessionId: string }).sessionId }).toEqual({
      code: 0,
      sessionId: id,
    });
    expect(request?.system.startsWith('You are a poet.\n\n')).toBe(true);
    expect(request?.system.endsWith('\n\nAlways answer in Latin.\n')).toBe(true);
    expect(request?.system).toContain('Use tabs.');
    expect(request?.system).not.toContain('coding assistant');
    expect(request?.tools.sort()).toEqual(['Read', 'Todo']);

    const again = await run(['-p', 'hi', '--session-id', id]);
    expect(again).toEqual({
      code: 2,
      stdout: '',
      stderr: `A session with the id ${id} already exists.\nChoose another id, or resume it with --resume ${id}.\n`,
    });
    expect(server.requests.length).toBe(1);
  });

  test('skipping permissions is said to be auto mode, and deny rules hold', async () => {
    const space = await workspace({ 'a.txt': 'one', 'b.txt': 'one' });
    const edit = (file: string) =>
      ['Edit', { file_path: file, old_string: 'one', new_string: 'two' }] as const;
    const { run } = await start(space, [calls([...edit('a.txt')], [...edit('b.txt')]), says('Done.')]);
    const { code, stderr } = await run([
      ...['-p', 'go', '--dangerously-skip-permissions', '--disallowedTools', 'Edit(b.txt)'],
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain('--dangerously-skip-permissions means --mode auto here, which never asks');
    expect(stderr).toContain('Deny rules and blocked commands always apply.');
    expect(await space.tree()).toMatchObject({ 'a.txt': 'two', 'b.txt': 'one' });
  });

  test('servers from a file and from the command line, and only those', soak, async () => {
    const space = await workspace();
    const { command, args } = published('memory');
    const mcpServers = { notes: { command, args } };
    await writeFile(path.join(space.root, 'mcp.json'), JSON.stringify({ mcpServers }));
    await writeFile(
      path.join(space.root, '.mcp.json'),
      JSON.stringify({ mcpServers: { other: { command: 'no' } } }),
    );
    const inline = JSON.stringify({ mcpServers: { graph: { command, args } } });
    const { run } = await start(space, [says('ok')]);
    const { stdout } = await run([
      ...['-p', '/mcp', '--mcp-config', 'mcp.json', inline, '--strict-mcp-config', '--trust'],
    ]);
    expect([...stdout.matchAll(/\b(notes|graph|other)\b/g)].map(([name]) => name).sort()).toEqual([
      'graph',
      'notes',
    ]);
    const broken = await run(['-p', 'go', '--mcp-config', '{"mcpServers":']);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain('--mcp-config: not a valid list of MCP servers');
  });

  test('piped text is the task; with a task it is what the task is about', soak, async () => {
    const space = await workspace();
    const { run, server } = await start(space, [says('one'), says('two')]);
    expect(await run([], { stdin: 'explain this' })).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    await run(['-p', 'why?'], { stdin: 'the log' });
    expect(server.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual([
      'explain this',
      'why?\n\nthe log',
    ]);
    const nothing = await run([], { stdin: '' });
    expect(nothing.code).toBe(0);
    expect(nothing.stdout).toContain('Run it in a terminal to start a conversation');
  });

  test('-C starts in another folder, whose files and settings apply', async () => {
    const space = await workspace({ 'there/AGENTS.md': 'Use tabs.\n', 'there/a.txt': 'far\n' });
    const { run, server } = await start(space, [calls(['Read', { file_path: 'a.txt' }]), says('ok')]);
    expect(await run(['-C', 'there', '--full-auto', '--prompt', 'go'])).toMatchObject({
      code: 0,
      stdout: 'ok\n',
    });
    const [first, second] = server.requests;
    expect(first?.system).toContain('Use tabs.');
    expect(second?.messages.at(-1)?.results[0]?.text).toBe('1\tfar');
    expect(await run(['-C', 'nowhere', '-p', 'go'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${path.join(space.root, 'nowhere')} is not a folder.\nName an existing folder with --cd.\n`,
    });
  });

  test('a flag of another assistant names ours', async () => {
    const space = await workspace();
    const { run, server } = await start(space, []);
    expect(await run(['-p', 'go', '--json'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "error: unknown option '--json'\n--json is a flag of Codex. Use --output-format stream-json.\n",
    });
    expect(server.requests).toEqual([]);
  });
});
