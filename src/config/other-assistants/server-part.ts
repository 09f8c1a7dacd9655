import { isObject } from '../../lib/text/json.ts';
import type { Part, Table } from './part.ts';

/** Rewrites environment variables in a text. */
type Variables = (text: string) => string;

type ServerOptions = {
  key: readonly string[];
  /** The server in our terms; null for one that cannot be used. */
  convert(server: Table): Table;
  /** Writes variables as `${NAME}`. */
  variables?: Variables;
};

const TYPES: Readonly<Record<string, string>> = {
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
};

/** The MCP servers in a table, by name. */
export function serverParts(
  servers: Table,
  { key, convert, variables = (text) => text }: ServerOptions,
): Part[] {
  return Object.entries(servers).map(([name, written]) => {
    const place = [...key, name];
    if (!isObject(written)) return { key: place, problem: 'a server must be a table.' };
    const server = withoutUndefined(convert(inTexts(written, variables) as Table));
    return { key: place, input: { mcpServers: { [name]: server } } };
  });
}

/** The keys that all assistants write alike. */
export function commonServer(server: Table): Table {
  const { command, args, env, cwd, url, headers } = server;
  const named = String(server.type ?? server.transport ?? '');
  const type = TYPES[named] ?? named;
  return {
    ...(['stdio', 'http', 'sse'].includes(type) && { type }),
    command,
    args,
    env: isObject(env) ? asTexts(env) : env,
    cwd,
    url,
    headers,
    ...(server.disabled === true && { disabled: true }),
  };
}

/** Numbers and switches as text, as the environment has them. */
export function asTexts(table: Table): Table {
  return Object.fromEntries(
    Object.entries(table).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  );
}

/** Seconds or milliseconds as whole milliseconds; undefined for anything else. */
export function milliseconds(value: unknown, unit: 1 | 1000): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.max(1, Math.round(value * unit)) : undefined;
}

function inTexts(value: unknown, change: Variables): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => inTexts(inner, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inTexts(inner, change)]));
}

function withoutUndefined(table: Table): Table {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined));
}
