import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Tool as WireTool } from '@modelcontextprotocol/sdk/types.js';
import type { ImagePart } from '../../contract/message.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';

export type ServedAnswer = { success: boolean; text: string; images?: readonly ImagePart[] };

/** What is offered to other programs. Every call is judged before it runs; what would be asked is refused. */
export type Served = {
  version: string;
  tools(): readonly ToolDefinition[];
  /** Names of read-only tools. */
  readOnly: ReadonlySet<string>;
  call(name: string, input: Record<string, unknown>, options: ServedOptions): Promise<ServedAnswer>;
  runTask(task: string, options: ServedOptions): Promise<ServedAnswer>;
};

export type ServedOptions = { signal: AbortSignal; progress(text: string): void };

const RUN_TASK: WireTool = {
  name: 'run_task',
  description:
    'Let the assistant do a complete task in its working directory, with its own model and tools, and return the result.',
  inputSchema: {
    type: 'object',
    properties: { task: { type: 'string', description: 'What to do, in plain language' } },
    required: ['task'],
  },
  annotations: { readOnlyHint: false, openWorldHint: true },
};

/** The server for one client. */
export async function makeServer(served: Served): Promise<Server> {
  const [{ Server }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const server = new Server(
    { name: 'ai-code-assistant', version: served.version },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: [...served.tools().map((tool) => toWire(tool, served)), RUN_TASK],
  }));
  server.setRequestHandler(
    types.CallToolRequestSchema,
    async ({ params }, { signal, sendNotification, _meta }) => {
      const token = _meta?.progressToken;
      let step = 0;
      const progress = (message: string) => {
        if (token === undefined) return;
        const params = { progressToken: token, progress: ++step, message };
        // A disconnected client does not need it.
        sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
      };
      const { name, arguments: input = {} } = params;
      if (name === RUN_TASK.name) {
        const { task } = input;
        if (typeof task !== 'string' || task.trim() === '')
          return toResult({ success: false, text: 'run_task needs a task in plain language.' });
        return toResult(await served.runTask(task, { signal, progress }));
      }
      if (!served.tools().some((tool) => tool.name === name))
        throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool ${name}.`);
      return toResult(await served.call(name, input, { signal, progress }));
    },
  );
  return server;
}

/** Serves one client over stdio; resolves when it disconnects. */
export async function serveLines(
  served: Served,
  { stdin, stdout }: { stdin: Readable; stdout: Writable },
): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const server = await makeServer(served);
  const gone = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    server.onclose = resolve;
  });
  // The library's own class does not declare its optional members as the interface does.
  await server.connect(new StdioServerTransport(stdin, stdout) as Transport);
  await gone;
  await server.close();
}

function toWire({ name, description, parameters }: ToolDefinition, { readOnly }: Served): WireTool {
  return {
    name,
    description,
    // All our tools take an object.
    inputSchema: { ...parameters, type: 'object' } as WireTool['inputSchema'],
    annotations: { readOnlyHint: readOnly.has(name) },
  };
}

function toResult({ success, text, images = [] }: ServedAnswer): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
    ],
    isError: !success,
  };
}
