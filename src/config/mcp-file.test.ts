import { expect, test } from 'vitest';
import { parseMcpFile } from './mcp-file.ts';

const parse = (mcpServers: object) => parseMcpFile(JSON.stringify({ mcpServers }), '.mcp.json');

test("other assistants' server entries are read; unknown fields are ignored", () => {
  expect(
    parse({
      a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '1' }, alwaysAllow: ['b'] },
      b: { type: 'streamable-http', url: 'https://b.test/mcp', headers: { X: 'y' } },
      c: { transport: 'sse', url: 'https://c.test/sse' },
      d: { command: 'e', disabled: true },
    }),
  ).toEqual({
    servers: {
      a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
      b: { type: 'http', url: 'https://b.test/mcp', headers: { X: 'y' } },
      c: { type: 'sse', url: 'https://c.test/sse' },
      d: { command: 'e', disabled: true },
    },
    notices: [],
  });
});

test.each<[string, object, string]>([
  ['a:b', { command: 'x' }, 'its name may contain only letters, digits, ".", "_" and "-"'],
  ['a', { command: 'x', url: 'y' }, 'It needs either a command or a url'],
  ['a', {}, 'It needs either a command or a url'],
  ['a', { command: 'x', args: [1] }, 'args.0: Invalid input: expected string, received number'],
])('an unusable server is reported and skipped: %s %j', (name, server, why) => {
  expect(parse({ [name]: server, good: { command: 'x' } })).toEqual({
    servers: { good: { command: 'x' } },
    notices: [`.mcp.json: ignored the server ${name}: ${why}.`],
  });
});
