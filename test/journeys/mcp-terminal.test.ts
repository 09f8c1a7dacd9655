import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { configure, oddServer, published, waitForServer } from '../support/mcp.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function talk(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  return { server, terminal: openTerminal(space, ['--plain', '--model', model], env) };
}

describe('servers in a conversation', () => {
  test(
    'a tool is shown as its server describes it before it is first used, though a rule allows it; then not again until it changes',
    soak,
    async () => {
      const space = await workspace();
      const words = path.join(space.home, 'words');
      await writeFile(words, 'Says whatever it is told');
      await configure(space, {
        mcpServers: { odd: oddServer('changing', words) },
        permissions: { allow: ['mcp:odd:*'] },
      });
      const say = (text: string) => calls(['odd__say', { text }]);
      const { server, terminal } = await talk(space, [
        say('a'),
        says('First done.'),
        say('b'),
        says('Second done.'),
      ]);
      await terminal.waitFor('/help for commands');
      await waitForServer(terminal, 'odd');
      terminal.type('first\r');
      await terminal.waitFor('Allow: odd/say a? [y/n]');
      await terminal.waitFor('Says whatever it is told');
      await terminal.waitFor('Reason: first use of this tool');
      terminal.type('y\r');
      await terminal.waitFor('First done.');
      terminal.type('second\r');
      await terminal.waitFor('Second done.');
      expect(server.requests[3]?.messages.at(-1)?.results[0]?.text).toBe('said {"text":"b"}');
      terminal.type('/quit\r');
      await terminal.exitCode;

      await writeFile(words, 'Says whatever it is told, to everybody');
      const again = await talk(space, [say('c'), says('Third done.')]);
      await again.terminal.waitFor('/help for commands');
      await waitForServer(again.terminal, 'odd');
      again.terminal.type('third\r');
      await again.terminal.waitFor('Allow: odd/say c? [y/n]');
      expect(again.terminal.screen()).toContain('Says whatever it is told, to everybody');
      expect(again.terminal.screen()).toContain('its description changed since you approved it');
      again.terminal.type('n\r');
      await again.terminal.waitFor('Third done.');
      expect(again.server.requests[1]?.messages.at(-1)?.results[0]?.text).toBe('User denied permission');
    },
  );

  test(
    'a server may ask the user something during a call; what is answered goes back to it',
    soak,
    async () => {
      const space = await workspace();
      await configure(space, { mcpServers: { every: published('everything') } });
      await aca(space, ['mcp', 'test', 'every']);
      const { server, terminal } = await talk(space, [
        calls(['every__trigger-elicitation-request', {}]),
        says('done'),
      ]);
      await terminal.waitFor('/help for commands');
      await waitForServer(terminal, 'every');
      terminal.type('go\r');
      await terminal.waitFor('Allow: every/trigger-elicitation-request? [y/n]');
      terminal.type('y\r');
      await terminal.waitFor('The MCP server every asks: ');
      terminal.type('answer\r');
      await terminal.waitFor('Answer', 2);
      for (let field = 0; field < 14 && !terminal.screen().includes('done'); field++) {
        const asked = terminal.screen().split('Answer').length;
        terminal.type(field === 0 ? 'Ada\r' : '\r');
        const until = Date.now() + 3000;
        while (
          Date.now() < until &&
          !terminal.screen().includes('done') &&
          terminal.screen().split('Answer').length === asked
        )
          await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await terminal.waitFor('done');
      expect(server.requests[1]?.messages.at(-1)?.results[0]?.text).toContain('Ada');
    },
  );

  test("a server's prompt is a command, its arguments in order or by name", soak, async () => {
    const space = await workspace();
    await configure(space, { mcpServers: { every: published('everything') } });
    const { server, terminal } = await talk(space, [says('Sunny.'), says('Rainy.')]);
    await terminal.waitFor('/help for commands');
    await waitForServer(terminal, 'every');
    terminal.type('hello\r');
    await terminal.waitFor('Sunny.');
    terminal.type('/every:args-prompt city=Oslo Norway\r');
    await terminal.waitFor('Rainy.');
    expect(server.requests[1]?.messages.at(-1)?.text).toBe("What's weather in Oslo, Norway?");
    terminal.type('/help\r');
    await terminal.waitFor('/every:simple-prompt');
    terminal.type('/mcp every\r');
    await terminal.waitFor('every:echo  Echoes back the input string');
  });
});

describe('[Y28] servers of a project', () => {
  const canary = (space: Workspace) => path.join(space.root, 'canary');
  const hostile = (space: Workspace) =>
    JSON.stringify({ mcpServers: { evil: { command: 'touch', args: [canary(space)] } } });

  sweep(['default', 'plan', 'accept-edits', 'auto', 'read-only'])(
    'nothing of .mcp.json is started before the folder is trusted, in %s mode; then what was seen is, and nothing else',
    async (mode) => {
      const space = await workspace();
      const file = path.join(space.root, '.mcp.json');
      await writeFile(file, hostile(space));
      const server = await serve(Array.from({ length: 4 }, () => says('ok')));
      const { model, env } = doors.anthropic(server.url);
      const run = () => aca(space, ['-p', 'go', '--model', model, '--mode', mode], { env });
      const { code, stderr } = await run();
      expect(code).toBe(0);
      expect(stderr).toContain('.mcp.json: ignored until this folder is trusted: mcpServers.evil');
      expect((await aca(space, ['mcp', 'list'])).stdout).toContain('No MCP servers.');
      await aca(space, ['mcp', 'test']);
      expect(existsSync(canary(space))).toBe(false);

      expect((await aca(space, ['trust'])).stdout).toContain('"evil"');
      await writeFile(file, hostile(space).replace('evil', 'worse'));
      expect((await run()).stderr).toContain('.mcp.json: changed since you trusted this folder');
      expect(existsSync(canary(space))).toBe(false);

      await aca(space, ['trust']);
      await run();
      expect(existsSync(canary(space))).toBe(true);
    },
  );

  test(
    "a user's own npx runs nothing of a folder nobody trusts, whatever stands in its node_modules",
    soak,
    async () => {
      const space = await workspace({
        'package.json': '{ "name": "p", "version": "1.0.0" }',
        'node_modules/canarypkg/package.json': '{ "name": "canarypkg", "version": "1.0.0", "bin": "run.js" }',
        'node_modules/canarypkg/run.js':
          '#!/usr/bin/env node\nrequire("node:fs").writeFileSync("canary", "");\n',
        'node_modules/.bin/canarypkg': '#!/bin/sh\ntouch canary\n',
      });
      for (const file of ['node_modules/canarypkg/run.js', 'node_modules/.bin/canarypkg'])
        await chmod(path.join(space.root, file), 0o755);
      // Offline, so that nothing but what is here could run.
      const args = ['--no-install', '--offline', 'canarypkg'];
      await configure(space, { mcpServers: { mine: { command: 'npx', args, timeoutMs: 10_000 } } });
      expect((await aca(space, ['mcp', 'test'])).code).toBe(1);
      expect(existsSync(canary(space))).toBe(false);
      await aca(space, ['mcp', 'test'], { env: { AI_ASSISTANT_TRUST: '1' } });
      expect(existsSync(canary(space))).toBe(true);
    },
  );

  test(
    'a trusted .mcp.json is read in the words of others, and takes no name from the user',
    soak,
    async () => {
      const space = await workspace();
      const { command, args } = oddServer('fine');
      await configure(space, { mcpServers: { mine: oddServer('fine') } });
      const shared = {
        mcpServers: {
          theirs: { type: 'stdio', command, args, description: 'not ours to know' },
          mine: { command: 'touch', args: [canary(space)] },
          web: { transport: 'streamable-http', url: 'http://127.0.0.1:9/mcp' },
          'bad name': { command },
        },
      };
      await writeFile(path.join(space.root, '.mcp.json'), JSON.stringify(shared));
      await aca(space, ['trust']);
      const { stdout, stderr } = await aca(space, ['mcp', 'list']);
      expect(stdout).toMatch(
        /^mine +stdio .*config\.json\ntheirs +stdio .*\.mcp\.json\nweb +http +http:\/\/127\.0\.0\.1:9\/mcp/m,
      );
      expect(stderr).toContain('ignored the server bad name');
      const tested = await aca(space, ['mcp', 'test']);
      expect(tested.code).toBe(1);
      expect(tested.stdout).toContain('theirs:say');
      expect(existsSync(canary(space))).toBe(false);
    },
  );

  test('add and remove keep the files as they are, for the user and for the project', soak, async () => {
    const space = await workspace();
    const add = (...args: string[]) => aca(space, ['mcp', 'add', ...args]);
    await add('docs', 'https://example.test/mcp?key=hidden', '-H', 'X-Key: abc');
    await add('files', '-e', 'A=b=c', '--', 'npx', '-y', 'server', '--flag');
    await add('ours', '--project', 'node', 'server.js');
    const { stdout } = await aca(space, ['config', 'get', 'mcpServers']);
    expect(JSON.parse(stdout)).toEqual({
      docs: { url: 'https://example.test/mcp?key=hidden', headers: expect.anything() },
      files: { command: 'npx', args: ['-y', 'server', '--flag'], env: { A: '…' } },
    });
    expect((await aca(space, ['mcp', 'list'])).stdout).not.toContain('hidden');
    expect(await space.tree()).toEqual({
      '.mcp.json': expect.stringContaining('"command": "node"'),
    });
    expect((await aca(space, ['mcp', 'remove', 'files'])).code).toBe(0);
    expect((await aca(space, ['mcp', 'remove', 'ours', '--project'])).code).toBe(0);
    expect((await aca(space, ['mcp', 'remove', 'ours'])).stderr).toContain('has no MCP server ours');
    expect((await add('a:b', 'x')).stderr).toContain('a:b is not a valid server name.');
    expect((await aca(space, ['mcp', 'test', 'dosc'])).stderr).toContain('Did you mean docs?');
  });
});
