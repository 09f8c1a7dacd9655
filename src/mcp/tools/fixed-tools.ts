import * as z from 'zod';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { defineTool, fail, ok, type Tool, type ToolContext } from '../../contract/tool.ts';

export const CALL = 'McpCall';
export const READ = 'McpRead';

const MOST = 10;
const MAX_NAMES = 10_000;

export type Catalog = {
  /** Waits for servers that are still starting. */
  started(context: Pick<ToolContext, 'signal' | 'progress'>): Promise<void>;
  /** All currently callable tools, as described to a model. */
  tools(): ToolDefinition[];
  resources(): { server: string; uri: string; name: string; description: string }[];
};

/** The same in every request, whatever servers come and go, which preserves the vendor's prompt cache. */
export function fixedTools(catalog: Catalog, { names = '' }: { names?: string } = {}): Tool[] {
  return [searchTool(catalog, names), callTool, readTool(catalog)];
}

/** For a description: the names alone, server by server. */
export function namesOf(tools: readonly ToolDefinition[]): string {
  const all = tools.map(({ name }) => name).join(' ');
  return all.length > MAX_NAMES ? `${all.slice(0, MAX_NAMES)} … and more` : all;
}

function searchTool({ started, tools }: Catalog, names: string): Tool {
  return defineTool({
    name: 'McpSearch',
    aliases: ['mcp_search', 'tool_search'],
    description:
      'Find MCP tools by keyword or name, with their input schemas. Call a tool you found with McpCall.' +
      (names === '' ? '' : ` Available: ${names}`),
    input: () =>
      z.object({
        query: z.string().min(1).describe('Keywords, server:tool, or server: for all tools of a server'),
      }),
    title: ({ query }) => `McpSearch ${query}`,
    access: () => [],
    async run({ query }, context) {
      await started(context);
      const found = rank(tools(), query).slice(0, MOST);
      if (found.length === 0) return ok('No MCP tool matches. Try other words.');
      return ok(
        found
          .map(
            ({ name, description, parameters }) =>
              `${name}\n${description}\nInput: ${JSON.stringify(parameters)}`,
          )
          .join('\n\n'),
        { metadata: { found: found.length } },
      );
    },
  });
}

/** Never runs if it names a tool: the router replaces it by the call it stands for. */
const callTool = defineTool({
  name: CALL,
  aliases: ['mcp_call', 'call_mcp_tool'],
  description: 'Call an MCP tool that is not in your list of tools. McpSearch shows its input schema.',
  input: () =>
    z.object({
      tool: z.string().min(1).describe('server:tool, as listed by McpSearch'),
      arguments: z.record(z.string(), z.unknown()).default({}).describe('The input of that tool'),
    }),
  title: ({ tool }) => `McpCall ${tool}`,
  access: () => [],
  run: async ({ tool }) => fail(`${tool} is not an MCP tool. Use server:tool; McpSearch finds them.`),
});

function readTool({ started, resources }: Catalog): Tool {
  return defineTool({
    name: READ,
    aliases: ['mcp_read', 'read_mcp_resource', 'list_mcp_resources'],
    description: 'Read a resource from an MCP server; without a uri, list its resources.',
    input: () =>
      z.object({
        server: z
          .string()
          .min(1)
          .optional()
          .describe('Name of the server; if absent, the resources of all servers are listed'),
        uri: z.string().min(1).optional().describe('URI of the resource to read, as listed'),
      }),
    title: ({ server = 'all servers' }) => `McpRead ${server}`,
    access: () => [],
    async run({ server, uri }, context) {
      if (uri !== undefined) return fail('Specify the server, too: McpRead needs both.');
      await started(context);
      const found = resources().filter((one) => server === undefined || one.server === server);
      if (found.length === 0) return ok('There are no resources.');
      return ok(
        found
          .map((one) => [`${one.server} ${one.uri}`, one.name, one.description].filter(Boolean).join('  '))
          .join('\n'),
      );
    },
  });
}

/** By name first, then by the number of matching words. */
function rank(tools: readonly ToolDefinition[], query: string): ToolDefinition[] {
  const wanted = query.trim().toLowerCase();
  const exact = tools.filter(({ name }) => name.toLowerCase() === wanted);
  if (exact.length > 0) return exact;
  if (wanted.endsWith(':')) return tools.filter(({ name }) => name.toLowerCase().startsWith(wanted));
  const words = wanted.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const score = ({ name, description }: ToolDefinition) =>
    words.reduce(
      (sum, word) =>
        sum +
        (name.toLowerCase().includes(word) ? 3 : 0) +
        (description.toLowerCase().includes(word) ? 1 : 0),
      0,
    );
  return tools
    .map((tool) => ({ tool, points: score(tool) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}
