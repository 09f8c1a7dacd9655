import * as z from 'zod';

const texts = () => z.record(z.string().min(1), z.string());

/** One MCP server. `${NAME}` and `${NAME:-default}` in any text stand for environment variables. */
export const mcpServer = () =>
  z
    .strictObject({
      type: z
        .enum(['stdio', 'http', 'sse'])
        .exactOptional()
        .describe('How it is reached; without it, stdio for a command and http for an address'),
      command: z.string().min(1).exactOptional().describe('The program to start'),
      args: z.array(z.string()).exactOptional().describe('Arguments of the program'),
      env: texts().exactOptional().describe('Environment variables it gets besides a few harmless ones'),
      cwd: z.string().min(1).exactOptional().describe('The folder it is started in'),
      url: z.string().min(1).exactOptional().describe('The address of a server that runs elsewhere'),
      headers: texts().exactOptional().describe('Headers sent with every request to it'),
      timeoutMs: z
        .number()
        .int()
        .min(1)
        .exactOptional()
        .describe(
          'Longest silence in milliseconds while it starts or does a call; without it, 30 s and 2 minutes',
        ),
      disabled: z.boolean().exactOptional().describe('Whether it is left alone for now'),
      oauth: z
        .strictObject({
          clientId: z.string().min(1).exactOptional().describe('For a server where clients cannot register'),
          clientSecret: z
            .string()
            .min(1)
            .exactOptional()
            .describe('The secret of that client, if it has one'),
          scope: z
            .string()
            .min(1)
            .exactOptional()
            .describe('What to ask for; without it, what the server says'),
          callbackPort: z
            .number()
            .int()
            .min(1)
            .max(65_535)
            .exactOptional()
            .describe('Where the login comes back to on this machine; without it, any free port'),
        })
        .exactOptional()
        .describe('For `aca mcp login`; most servers need nothing here'),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
      error: 'It needs either a command or a url.',
    });

export type McpServerInput = z.input<ReturnType<typeof mcpServer>>;

/** No colon: in `server:tool` the first one ends the server's name. */
export const mcpServerName = () => z.string().regex(/^[a-zA-Z0-9][\w.-]{0,63}$/);
