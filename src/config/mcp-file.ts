import { type ParseError, parse } from 'jsonc-parser';
import { isObject } from '../lib/text/json.ts';
import { checkOnce } from './schema/check-settings.ts';
import { type McpServerInput, mcpServer, mcpServerName } from './schema/mcp-server.ts';

/** The MCP server file shared by several assistants. */
export const MCP_FILE = '.mcp.json';

const KEYS = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled'];
/** Alternative names used by other assistants. */
const TYPES: Readonly<Record<string, string>> = {
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
};

/** Unusable entries are reported and skipped: the file is not ours, and other programs may support more. */
export function parseMcpFile(
  text: string,
  file: string,
): { servers: Record<string, McpServerInput>; notices: string[] } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value) || !isObject(value.mcpServers ?? {})) {
    return {
      servers: {},
      notices: [`${file}: not a valid list of MCP servers; ignored.`],
    };
  }
  const servers: Record<string, McpServerInput> = {};
  const notices: string[] = [];
  for (const [name, written] of Object.entries((value.mcpServers ?? {}) as Record<string, unknown>)) {
    const parsed = mcpServer().safeParse(normalized(written), checkOnce);
    if (parsed.success && mcpServerName().safeParse(name, checkOnce).success) servers[name] = parsed.data;
    else notices.push(`${file}: ignored the server ${name}: ${trouble(parsed.error?.issues[0])}.`);
  }
  return { servers, notices };
}

function normalized(written: unknown): unknown {
  if (!isObject(written)) return written;
  const { transport, ...others } = written;
  const named = String(others.type ?? transport ?? '');
  const known = Object.entries(others).filter(([key]) => KEYS.includes(key) && key !== 'type');
  const type = Object.hasOwn(TYPES, named) ? TYPES[named] : named;
  return { ...Object.fromEntries(known), ...(type !== '' && { type }) };
}

function trouble(issue: { path: PropertyKey[]; message: string } | undefined): string {
  if (!issue) return 'its name may contain only letters, digits, ".", "_" and "-"';
  const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return `${where}${issue.message.replace(/\.$/, '')}`;
}
