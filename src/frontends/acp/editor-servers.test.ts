import { expect, test } from 'vitest';
import { mcpServerName } from '../../config/schema/mcp-server.ts';
import { serverConfig } from './editor-servers.ts';

const namesOf = (given: string[]) =>
  Object.keys(
    (
      JSON.parse(serverConfig(given.map((name) => ({ name, command: 'x', args: [], env: [] })))) as {
        mcpServers: object;
      }
    ).mcpServers,
  );

test('servers of an editor may be called anything, and alike', () => {
  const long = 'x'.repeat(80);
  const given = [
    'My Docs',
    'My Docs',
    'My-Docs',
    '日本',
    '',
    '_x',
    'a:b/c',
    long,
    `${long}y`,
    'Ünï',
    '…',
    'a.',
  ];
  const names = namesOf(given);
  expect(names).toEqual([
    ...['My-Docs', 'My-Docs-2', 'My-Docs-3', 'server', 'server-2', 'x', 'a-b-c'],
    ...['x'.repeat(64), `${'x'.repeat(62)}-2`, 'Uni', 'server-3', 'a'],
  ]);
  for (const name of names) expect(mcpServerName().safeParse(name).success).toBe(true);
});

test('a transport that is not known is refused in words', () => {
  const server = { type: 'acp', id: '1', name: 'x' } as never;
  expect(() => serverConfig([server])).toThrow(/does not support/);
});
