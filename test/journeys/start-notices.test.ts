import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/api/create-agent.ts';
import { aca, cleanEnv, doors, parseStream } from '../support/aca.ts';
import { configure, oddServer } from '../support/mcp.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** In two pieces: it is for the settings to fill in. */
const UNSET = ['$', '{NOT_SET_HERE}'].join('');
const SKIPPED = 'MCP server broken not connected: NOT_SET_HERE is not set in the environment.';

/** Every place of a server's settings where a variable may stand. */
const brokenServers = {
  command: { command: UNSET },
  argument: { command: 'node', args: ['-e', UNSET] },
  'environment variable': { command: 'node', args: [], env: { TOKEN: `Bearer ${UNSET}` } },
  folder: { command: 'node', args: [], cwd: UNSET },
  address: { type: 'http', url: `https://${UNSET}/mcp` },
  header: { type: 'http', url: 'https://mcp.invalid', headers: { authorization: UNSET } },
  'client secret': { type: 'http', url: 'https://mcp.invalid', oauth: { clientSecret: UNSET } },
};

/** The files that may name MCP servers. */
const files = {
  'the user settings': async (space: Workspace, mcpServers: object) => {
    await configure(space, { mcpServers });
  },
  'the project settings': async ({ root }: Workspace, mcpServers: object) =>
    writeFile(path.join(root, '.ai-assistant.json'), JSON.stringify({ mcpServers })),
  '.mcp.json': async ({ root }: Workspace, mcpServers: object) =>
    writeFile(path.join(root, '.mcp.json'), JSON.stringify({ mcpServers })),
};

async function modelFor(space: Workspace, ...steps: Parameters<typeof serve>[0]) {
  const server = await serve(steps.length > 0 ? steps : [says('Hello.')]);
  return { server, space, ...doors.anthropic(server.url) };
}

describe('an MCP server with a variable that is not set is skipped and named, and everything else runs', () => {
  sweep(Object.entries(files))('in %s, headless', async (_, write) => {
    const space = await workspace();
    await write(space, { broken: brokenServers.header, odd: oddServer('plain') });
    const { server, model, env } = await modelFor(space, calls(['odd__say', { text: 'a' }]), says('Done.'));
    const { code, stdout, stderr } = await aca(
      space,
      ['-p', 'go', '--trust', '--model', model, '--allow', 'mcp:odd:*'],
      { env },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
    expect(stderr).toContain(SKIPPED);
    expect(server.requests[1]?.messages.at(-1)?.results[0]?.text).toBe('said {"text":"a"}');
  });

  sweep(Object.entries(brokenServers))('wherever it stands: %s', async (_, broken) => {
    const space = await workspace();
    await configure(space, { mcpServers: { broken } });
    const { model, env } = await modelFor(space);
    const { code, stdout } = await aca(
      space,
      ['-p', 'go', '--model', model, '--output-format', 'stream-json'],
      { env },
    );
    expect(code).toBe(0);
    const notices = parseStream(stdout).events.filter((event) => event.type === 'notice');
    expect(notices).toEqual([
      { type: 'notice', level: 'warn', text: `${SKIPPED} Continuing without its tools.` },
    ]);
  });

  sweep([
    ['the screen', []],
    ['plain lines', ['--plain']],
  ])('on %s', async (_, flags) => {
    const space = await workspace();
    await configure(space, { mcpServers: { broken: brokenServers.command } });
    const { model, env } = await modelFor(space);
    const terminal = openTerminal(space, [...flags, '--model', model], env);
    await terminal.waitFor('MCP server broken not connected');
    terminal.type('hi\r');
    await terminal.waitFor('Hello.');
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  test('in a program that uses the package', soak, async () => {
    const space = await workspace();
    await configure(space, { mcpServers: { broken: brokenServers.command } });
    const { model, env } = await modelFor(space);
    await using agent = await createAgent({ cwd: space.root, env: cleanEnv(space, env), model });
    const run = agent.run('go');
    const notices: string[] = [];
    for await (const event of run) if (event.type === 'notice') notices.push(event.text);
    expect(notices).toEqual([`${SKIPPED} Continuing without its tools.`]);
    expect((await run.result).text).toBe('Hello.');
  });

  test('and doctor says it with what to do', async () => {
    const space = await workspace();
    await configure(space, {
      mcpServers: { broken: brokenServers.argument, off: { ...brokenServers.command, disabled: true } },
    });
    const { code, stdout } = await aca(space, ['doctor', '--json'], {
      env: { AI_ASSISTANT_OFFLINE: '1', ANTHROPIC_API_KEY: 'sk-ant-test' },
    });
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    expect(checks.filter(({ name }) => name === 'MCP server')).toEqual([
      {
        name: 'MCP server',
        state: 'bad',
        text: 'broken is skipped: NOT_SET_HERE is not set in the environment',
        next: `Set NOT_SET_HERE, or use ${UNSET.replace('}', ':-default}')} in its settings.`,
      },
    ]);
    expect(code).toBe(1);
  });
});

test('nothing else that goes wrong while parts are made ends a start: folders and files of the data root that cannot be used', async () => {
  const space = await workspace();
  const root = await configure(space, { cache: { enabled: true }, log: { level: 'debug' } });
  // Each is a folder where a file is wanted, or the other way around.
  for (const name of ['audit.jsonl', 'firewall.key', 'logs.jsonl', 'looks.json'])
    await mkdir(path.join(root, name), { recursive: true });
  for (const name of ['undo', 'ledger', 'cache', 'logs', 'mcp', 'outputs', 'memory', 'plugins', 'skills'])
    await writeFile(path.join(root, name), 'not a folder');
  const { model, env } = await modelFor(space);
  const { code, stdout, stderr } = await aca(space, ['-p', 'go', '--model', model], {
    env: { ...env, AI_ASSISTANT_MEMORY: '1' },
  });
  expect({ code, stdout, bug: stderr.includes('This is a bug') }).toEqual({
    code: 0,
    stdout: 'Hello.\n',
    bug: false,
  });
});
