import * as z from 'zod';
import type { ToolCall } from '../../contract/message.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { defineTool, fail, type Tool, type ToolContext } from '../../contract/tool.ts';
import { parseJson } from '../../lib/text/json.ts';
import { notConnected } from '../connection/connection.ts';
import { type Hub, splitName, toolsOf } from '../hub.ts';
import { CALL, type Catalog, fixedTools, namesOf, READ } from './fixed-tools.ts';
import { READ_RESOURCE, resourceTool, serverTool, type ToolDeps } from './server-tool.ts';

export type SessionToolsOptions = Omit<ToolDeps, 'seen'> & {
  define(tool: Tool): ToolDefinition;
  /** Whether these may be sent in full with every request. */
  fits(definitions: readonly ToolDefinition[]): boolean;
};

/**
 * The MCP tools of one session. Those of a server that starts later, or changes, are announced in text and reached
 * through the fixed tools.
 */
export type SessionTools = {
  /** The definitions for a new prefix. */
  definitions(): readonly ToolDefinition[];
  /** All tools that can be called now. */
  available(): readonly ToolDefinition[];
  find(name: string): Tool | undefined;
  /** Names of all callable tools, including those not listed in requests. */
  names(): string[];
  /** The call that a call of a fixed tool stands for. */
  resolveCall(call: Pick<ToolCall, 'name' | 'input'>): { name: string; input: unknown } | undefined;
};

const STARTING_MS = 15_000;

export function createSessionTools(hub: Hub, { define, fits, ...rest }: SessionToolsOptions): SessionTools {
  const deps = { ...rest, seen: hub.seen };
  const all = (): Tool[] =>
    hub.connections.flatMap((connection) =>
      [...toolsOf(connection)]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((tool) => serverTool(connection, tool, deps)),
    );
  const catalog: Catalog = {
    started: ({ signal, progress }) => waitFor(hub, { names: hub.starting(), signal, progress }),
    tools: () => all().map(define),
    resources: () =>
      hub.connections.flatMap(({ name: server, offers }) =>
        offers.resources.map((one) => ({ server, ...one })),
      ),
  };
  let fixed = fixedTools(catalog);

  function choose(): readonly ToolDefinition[] {
    const definitions = catalog.tools();
    if (fits(definitions)) return [...fixed.map(define), ...definitions];
    fixed = fixedTools(catalog, { names: namesOf(definitions) });
    return fixed.map(define);
  }

  function findServerTool(name: string): Tool | undefined {
    const split = splitName(name);
    if (!split) return findByWord(wordOf(name));
    const connection = hub.find(split.server);
    if (!connection) return away(name, notConnected(split.server, 'failed', ''));
    if (split.tool === READ_RESOURCE) return resourceTool(connection, deps);
    const tool = toolsOf(connection).find((one) => one.name === split.tool);
    if (tool) return serverTool(connection, tool, deps);
    const { phase, trouble } = connection;
    if (phase === 'connecting') return late(name, split.server);
    if (phase !== 'ready') return away(name, notConnected(split.server, phase, trouble));
    return away(name, `${split.server} has no tool ${split.tool}. McpSearch lists its tools.`);
  }

  /** Its accesses are not known yet, so it cannot be judged: the call waits, and has to be repeated. */
  function late(name: string, server: string): Tool {
    return away(name, async ({ signal, progress }) => {
      await waitFor(hub, { names: [server], signal, progress });
      const connection = hub.find(server);
      if (connection?.phase === 'ready')
        return `The MCP server ${server} has just started. Make this call again.`;
      return notConnected(server, connection?.phase ?? 'failed', connection?.trouble ?? '');
    });
  }

  /** By the name as vendors encode it, also for a server that is not connected. */
  function findByWord(word: string): Tool | undefined {
    const connection = hub.connections.find(({ name }) => word.startsWith(`${wordOf(name)}__`));
    if (!connection) return undefined;
    const tool = toolsOf(connection).find((one) => wordOf(`${connection.name}:${one.name}`) === word);
    const rest = word.slice(`${wordOf(connection.name)}__`.length);
    return findServerTool(`${connection.name}:${tool?.name ?? rest}`);
  }

  return {
    definitions: choose,
    available: catalog.tools,
    find: (name) =>
      fixed.find((tool) => [tool.name, ...(tool.aliases ?? [])].includes(name)) ?? findServerTool(name),
    names: () => [...fixed, ...catalog.tools()].map(({ name }) => name),
    resolveCall: ({ name, input }) => resolveCall(name, input),
  };
}

/** A call that needs servers waits for them as long as for a restarting one. */
async function waitFor(
  hub: Hub,
  { names, signal, progress }: Pick<ToolContext, 'signal' | 'progress'> & { names: readonly string[] },
): Promise<void> {
  if (names.length === 0) return;
  progress(`Waiting for ${names.join(', ')} to start (up to ${STARTING_MS / 1_000}s).\n`);
  await hub.settled(STARTING_MS, { names, signal });
}

/** As vendors encode names, and models repeat them. */
function wordOf(name: string): string {
  return name
    .replace(/^mcp__/, '')
    .replace(':', '__')
    .replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

function resolveCall(name: string, input: unknown): { name: string; input: unknown } | undefined {
  const { tool, arguments: args, server, uri } = (input ?? {}) as Record<string, unknown>;
  if (name === CALL && typeof tool === 'string' && splitName(tool))
    return { name: tool, input: objectOf(args) };
  if (name === READ && typeof server === 'string' && typeof uri === 'string')
    return { name: `${server}:${READ_RESOURCE}`, input: { uri } };
  return undefined;
}

/** Some models write an object as a string. */
function objectOf(args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {};
  const value = parseJson(args);
  return value === undefined ? args : value;
}

/** Stands in for an unavailable tool: reports the reason, without asking the user. */
function away(name: string, why: string | ((context: ToolContext) => Promise<string>)): Tool {
  return defineTool({
    name: CALL,
    description: '',
    input: () => z.unknown(),
    title: () => name.replace(':', '/'),
    access: () => [],
    run: async (_input, context) => fail(typeof why === 'string' ? why : await why(context)),
  });
}
