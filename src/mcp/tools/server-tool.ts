import * as z from 'zod';
import type { Access } from '../../contract/permission.ts';
import { defineTool, fail, ok, type Tool, type ToolContext, type ToolResult } from '../../contract/tool.ts';
import { startOf } from '../../lib/text/cut-line.ts';
import type { Connection } from '../connection/connection.ts';
import type { ServerTool } from './offers.ts';
import { resourceText, resultOf } from './result.ts';
import { parametersFor, shortDescription } from './schema.ts';
import type { SeenTools } from './seen-tools.ts';

export type ToolDeps = {
  seen: SeenTools;
  /** Redacts secrets in an input before it is sent to a server. */
  outgoing<T>(value: T): T;
  /** A user is present who can be shown a tool before it is used. */
  isWatched: boolean;
};

const TITLE_LENGTH = 120;
const anyObject = () => z.record(z.string(), z.unknown());

/** A server's tool as one of ours: named `server:tool`, judged as such, with a bounded result. */
export function serverTool(connection: Connection, tool: ServerTool, deps: ToolDeps): Tool {
  const { name: server } = connection;
  const name = `${server}:${tool.name}`;
  const access = (): Access => {
    const unseen = unseenBecause(server, tool, deps);
    return {
      kind: 'execute',
      target: name,
      server: true,
      ...(tool.readOnly && { looks: true }),
      ...(unseen !== null && { unseen }),
    };
  };
  return {
    ...defineTool({
      name,
      description: shortDescription(tool.description) || `${tool.name} from the MCP server ${server}`,
      input: anyObject,
      title: (input) => titleOf(`${server}/${tool.name}`, input),
      access: () => [access()],
      preview: async (input) => ({ kind: 'text', text: previewOf(tool, input) }),

      async run(input, context) {
        // It was approved, as it is now. If this cannot be saved, the user is asked again next time.
        await deps.seen.agree(server, [tool]).catch(() => undefined);
        return answering(server, context, async () => {
          const answer = await connection.callTool(tool.name, deps.outgoing(input), context);
          return resultOf(answer, context.accepts);
        });
      },
    }),
    parameters: parametersFor(tool.schema),
  };
}

/** Reading a resource is a tool, too. No server tool can have this name: a rule must have one meaning. */
export const READ_RESOURCE = 'resources/read';

export function resourceTool(connection: Connection, deps: Pick<ToolDeps, 'outgoing'>): Tool {
  const name = `${connection.name}:${READ_RESOURCE}`;
  return defineTool({
    name,
    description: `Read a resource from the MCP server ${connection.name}`,
    input: () => z.object({ uri: z.string().min(1) }),
    title: ({ uri }) => titleOf(`${connection.name}/${READ_RESOURCE}`, { uri }),
    access: () => [{ kind: 'execute', target: name, server: true, looks: true }],
    run: ({ uri }, context) =>
      answering(connection.name, context, async () =>
        ok(resourceText(await connection.readResource(deps.outgoing(uri), context))),
      ),
  });
}

/** A server's error, or its end, is a result for the model. The result says which server it came from. */
async function answering(
  server: string,
  { signal }: ToolContext,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    const result = await work();
    return { ...result, metadata: { ...result.metadata, server } };
  } catch (error) {
    signal.throwIfAborted();
    return fail((error as Error).message, { metadata: { server } });
  }
}

function unseenBecause(server: string, tool: ServerTool, { seen, isWatched }: ToolDeps): string | null {
  switch (seen.state(server, tool)) {
    case 'seen':
      return null;
    case 'new':
      return isWatched ? "first use of this tool; its server's description is shown above" : null;
    case 'changed':
      return isWatched
        ? 'its description changed since you approved it; the new one is shown above'
        : `its description changed since it was approved; see \`aca mcp test ${server}\``;
  }
}

/** With its main argument: the first text. Who is asked about the call sees all of them. */
function titleOf(name: string, input: Record<string, unknown>): string {
  const values = Object.values(input);
  const main = values.find((value) => typeof value === 'string' && value !== '');
  const words = typeof main === 'string' ? main : values.length === 0 ? '' : JSON.stringify(input);
  const title = `${name} ${words.replaceAll(/\s+/g, ' ')}`.trimEnd();
  return title.length > TITLE_LENGTH ? `${startOf(title, TITLE_LENGTH)}…` : title;
}

function previewOf({ description, readOnly }: ServerTool, input: Record<string, unknown>): string {
  const says = readOnly ? '\n(The server says this tool is read-only.)' : '';
  return `${description || '(no description)'}${says}\n\n${JSON.stringify(input, null, 2)}`;
}
