import { expect, test } from 'vitest';
import type { CommandContext, McpServerState, McpServers } from '../contract/command.ts';
import { dispatch } from './dispatch.ts';
import { mcp } from './mcp.ts';

const ready: McpServerState = {
  name: 'files',
  transport: 'stdio',
  address: 'npx files',
  phase: 'ready',
  trouble: '',
  tools: [{ name: 'read', description: 'Reads\na file' }],
  resources: [{ uri: 'a://b', name: 'b' }],
  prompts: [{ name: 'ask', description: 'Asks' }],
  log: ['info: hello'],
};
const failed: McpServerState = {
  ...ready,
  name: 'web',
  transport: 'http',
  address: 'https://a.test',
  phase: 'login',
  trouble: 'log in',
  tools: [],
  resources: [],
  prompts: [],
  log: [],
};

async function typed(line: string, servers?: Partial<McpServers>) {
  const printed: string[] = [];
  const done: string[] = [];
  const prompt = {
    name: 'files:Ask',
    description: '',
    execute: async (args: string[]) => void done.push(args.join('|')),
  };
  const context = {
    commands: [mcp, prompt],
    print: (text: string) => void printed.push(text),
    ...(servers && {
      mcp: {
        list: () => [ready, failed],
        restart: async (name: string) => done.push(`restart ${name}`) > 0,
        login: async (name: string, show: (url: string) => void) => {
          show('https://a.test/login');
          done.push(`login ${name}`);
        },
        ...servers,
      },
    }),
    // What /mcp does not use is left out.
  } as unknown as CommandContext;
  return { isCommand: await dispatch(line, context), printed, done };
}

test('/mcp lists the servers, shows one in detail, restarts and logs in', async () => {
  expect((await typed('/mcp')).printed).toEqual(['No MCP servers. Add one with `aca mcp add`.']);
  expect((await typed('/mcp', {})).printed).toEqual([
    'files  1 tools, 1 resources, 1 prompts  (stdio: npx files)\nweb    needs a login: log in  (http: https://a.test)',
  ]);
  expect((await typed('/mcp files', {})).printed[0]?.split('\n').slice(1)).toEqual([
    '  files:read  Reads',
    '  @files:a://b  b',
    '  /files:ask  Asks',
    '  recent output:',
    '    info: hello',
  ]);
  expect((await typed('/mcp restart web', {})).done).toEqual(['restart web']);
  const login = await typed('/mcp login web', {});
  expect([login.done, login.printed[0]]).toEqual([['login web'], 'Log in here: https://a.test/login']);
  expect((await typed('/mcp weeb', {})).printed).toEqual([
    'There is no MCP server weeb. Did you mean web? /mcp lists them.',
  ]);
  expect((await typed('/mcp fly web', {})).printed).toEqual([
    'Unknown action fly. Use /mcp restart or /mcp login.',
  ]);
});

test('a command of a server has a colon; paths and files are not commands', async () => {
  expect((await typed('/files:ask a b', {})).done).toEqual(['a|b']);
  for (const line of ['/etc/passwd', '/notes.txt', '/a:b/c', 'x /mcp'])
    expect((await typed(line)).isCommand).toBe(false);
});
