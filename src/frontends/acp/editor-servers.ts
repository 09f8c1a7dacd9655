import { type McpServer, RequestError } from '@agentclientprotocol/sdk';
import { mcpServerName } from '../../config/schema/mcp-server.ts';

/** The MCP servers that an editor hands over, in the format of `.mcp.json`. */
export function serverConfig(servers: readonly McpServer[]): string {
  const entries = new Map<string, object>();
  for (const server of servers) entries.set(newName(server.name, entries), definitionOf(server));
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

function definitionOf(server: McpServer): object {
  if ('url' in server) {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    return { type: server.type, url: server.url, headers };
  }
  if (!('command' in server))
    throw RequestError.invalidParams(
      undefined,
      'An MCP server has a transport that this agent does not support. Use stdio, http or sse.',
    );
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  return { command: server.command, args: server.args, env };
}

const MOST = 64;

/** Editors name servers for people; ours are part of the names of tools, and no two are alike. */
function newName(given: string, taken: ReadonlyMap<string, object>): string {
  const plain = given
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[^a-zA-Z0-9]+|[-.]+$/g, '');
  const name = plain === '' ? 'server' : plain.slice(0, MOST);
  let free = mcpServerName().parse(name);
  for (let number = 2; taken.has(free); number++) {
    const end = `-${number}`;
    free = name.slice(0, MOST - end.length) + end;
  }
  return free;
}
