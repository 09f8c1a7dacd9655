import * as z from 'zod';

const texts = () => z.record(z.string().min(1), z.string());

/** One MCP server. `${NAME}` and `${NAME:-default}` in any string are replaced by environment variables. */
export const mcpServer = () =>
  z
    .strictObject({
      type: z
        .enum(['stdio', 'http', 'sse'])
        .exactOptional()
        .describe('Transport (default: stdio for a command, http for a URL)'),
      command: z.string().min(1).exactOptional().describe('Program to start'),
      args: z.array(z.string()).exactOptional().describe('Arguments for the program'),
      env: texts()
        .exactOptional()
        .describe('Environment variables for the server, in addition to a few safe ones'),
      cwd: z.string().min(1).exactOptional().describe('Folder to start the server in'),
      url: z.string().min(1).exactOptional().describe('URL of a remote server'),
      headers: texts().exactOptional().describe('HTTP headers to send with every request'),
      timeoutMs: z
        .number()
        .int()
        .min(1)
        .exactOptional()
        .describe(
          'Maximum time in milliseconds without a response (default: 30s at startup, 2 minutes during a call)',
        ),
      enabledTools: z
        .array(z.string())
        .exactOptional()
        .describe('Tools of this server to offer, by name (default: all)'),
      disabledTools: z
        .array(z.string())
        .exactOptional()
        .describe('Tools of this server that are not offered'),
      disabled: z.boolean().exactOptional().describe('Do not start this server'),
      oauth: z
        .strictObject({
          clientId: z
            .string()
            .min(1)
            .exactOptional()
            .describe('Client id, for servers that do not support client registration'),
          clientSecret: z.string().min(1).exactOptional().describe('Client secret, if there is one'),
          scope: z
            .string()
            .min(1)
            .exactOptional()
            .describe('OAuth scope to request (default: the one the server advertises)'),
          callbackPort: z
            .number()
            .int()
            .min(1)
            .max(65_535)
            .exactOptional()
            .describe('Local port for the login callback (default: any free port)'),
        })
        .exactOptional()
        .describe('OAuth settings for `aca mcp login`; most servers need none'),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
      error: 'It needs either a command or a url.',
    });

export type McpServerInput = z.input<ReturnType<typeof mcpServer>>;

/** No colon: in `server:tool` the first one ends the server name. */
export const mcpServerName = () => z.string().regex(/^[a-zA-Z0-9][\w.-]{0,63}$/);
