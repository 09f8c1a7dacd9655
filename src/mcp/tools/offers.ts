import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Tool as WireTool } from '@modelcontextprotocol/sdk/types.js';
import { plain } from '../plain.ts';

export type ServerTool = {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  /** The server declares it read-only. */
  readOnly: boolean;
};

type ServerResource = { uri: string; name: string; description: string; mimeType: string };

export type ServerPrompt = {
  name: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
};

/** What one server offers. */
export type Offers = {
  tools: readonly ServerTool[];
  resources: readonly ServerResource[];
  prompts: readonly ServerPrompt[];
};

export const noOffers: Offers = { tools: [], resources: [], prompts: [] };

const MAX_PAGES = 50;
const MAX_ITEMS = 1_000;
/** What fits into a rule, a title and a line of ours. */
const NAME = /^[^\s()*\p{C}]{1,128}$/u;

type ToolChoice = { enabledTools?: readonly string[]; disabledTools?: readonly string[] };

/** Everything that a server lists, page by page, as far as it is usable here and the user wants it. */
export async function listOffers(
  client: Client,
  { timeout, wanted }: { timeout: number; wanted: ToolChoice },
): Promise<Offers> {
  const options = { timeout };
  const types = await import('@modelcontextprotocol/sdk/types.js');
  const can = client.getServerCapabilities() ?? {};
  const [tools, resources, prompts] = await Promise.all([
    // Requested directly: the client's own method would also compile each tool's schema, however large or
    // invalid.
    pages(can.tools, async (params) => {
      const page = await client.request(
        { method: 'tools/list', params },
        types.ListToolsResultSchema,
        options,
      );
      return { items: page.tools, next: page.nextCursor };
    }),
    pages(can.resources, async (params) => {
      const page = await client.request(
        { method: 'resources/list', params },
        types.ListResourcesResultSchema,
        options,
      );
      return { items: page.resources, next: page.nextCursor };
    }),
    pages(can.prompts, async (params) => {
      const page = await client.request(
        { method: 'prompts/list', params },
        types.ListPromptsResultSchema,
        options,
      );
      return { items: page.prompts, next: page.nextCursor };
    }),
  ]);
  return {
    tools: distinct(tools.filter((tool) => isUsable(tool) && isWanted(tool, wanted)).map(toTool)),
    resources: resources.map(({ uri, name, description = '', mimeType = '' }) => ({
      uri,
      name: plain(name),
      description: plain(description),
      mimeType,
    })),
    prompts: distinct(
      prompts
        .filter(({ name }) => NAME.test(name))
        .map(({ name, description = '', arguments: args = [] }) => ({
          name,
          description: plain(description),
          arguments: args.map((arg) => ({
            name: arg.name,
            description: plain(arg.description ?? ''),
            required: arg.required === true,
          })),
        })),
    ),
  };
}

async function pages<T>(
  offered: unknown,
  ask: (params: { cursor?: string }) => Promise<{ items: T[]; next: string | undefined }>,
): Promise<T[]> {
  if (!offered) return [];
  const all: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && all.length < MAX_ITEMS; page++) {
    const { items, next } = await ask(cursor === undefined ? {} : { cursor });
    all.push(...items);
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return all.slice(0, MAX_ITEMS);
}

function isWanted({ name }: WireTool, { enabledTools, disabledTools }: ToolChoice): boolean {
  return (enabledTools?.includes(name) ?? true) && !disabledTools?.includes(name);
}

/** A tool that only runs as a task cannot return a result to a waiting call. */
function isUsable({ name, execution }: WireTool): boolean {
  return NAME.test(name) && execution?.taskSupport !== 'required';
}

function toTool({ name, title, description, inputSchema, annotations }: WireTool): ServerTool {
  return {
    name,
    description: plain(description ?? title ?? annotations?.title ?? ''),
    schema: inputSchema,
    readOnly: annotations?.readOnlyHint === true,
  };
}

/** The first of each name: a second could not be called. */
function distinct<T extends { name: string }>(items: readonly T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ name }) => !seen.has(name) && seen.add(name));
}
