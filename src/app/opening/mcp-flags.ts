import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseMcpFile } from '../../config/mcp-file.ts';
import type { McpServerInput } from '../../config/schema/mcp-server.ts';
import { UserError } from '../../contract/errors.ts';
import { unlessErrno } from '../../lib/files/errno.ts';

const HINT = 'Give a file or JSON such as {"mcpServers":{"docs":{"command":"docs-server"}}}.';

/** The MCP servers of `--mcp-config`: files or inline JSON. A later one replaces an earlier of the same name. */
export function serversIn(given: readonly string[], cwd: string): Record<string, McpServerInput> {
  return Object.fromEntries(given.flatMap((one) => Object.entries(parsed(one, cwd))));
}

function parsed(given: string, cwd: string): Record<string, McpServerInput> {
  const inline = given.trimStart().startsWith('{');
  const text = inline
    ? given
    : unlessErrno('any', null, () => readFileSync(path.resolve(cwd, given), 'utf8'));
  if (text === null) throw new UserError(`--mcp-config: ${given} cannot be read.`, HINT);
  const { servers, notices } = parseMcpFile(text, inline ? '--mcp-config' : given);
  // The user asked for these servers, so none is skipped.
  if (notices[0] !== undefined) throw new UserError(notices[0], HINT);
  return servers;
}
