import type { z } from 'zod';
import { UserError } from '../contract/errors.ts';
import { defineTool, ok, type Tool, type ToolContext, type ToolResult } from '../contract/tool.ts';
import { startOf } from '../lib/text/cut-line.ts';
import { pluginTool } from '../plugins/plugin-tool.ts';

/** Maximum length of the title shown to the user. */
const TITLE = 80;

export type AgentTool<Input> = {
  /** Letters, digits, `.`, `_` and `-`. */
  name: string;
  /** For the model: what the tool does and when to use it. */
  description: string;
  /** A zod object schema; describe each field for the model. */
  input: z.ZodType<Input>;
  /** Whether a call needs approval. Default: always. The user's own rules take precedence. */
  requiresApproval?: boolean | ((input: Input) => boolean);
  /** Whether it has no side effects, so that plan and read-only mode allow it. Default: false. */
  readOnly?: boolean;
  /** A returned string counts as success. Thrown errors are reported to the model. */
  execute(input: Input, context: ToolContext): Promise<ToolResult | string> | ToolResult | string;
};

/** The simplest form of a tool. It runs in this process: only what it does through `context` is sandboxed. */
export function defineAgentTool<Input>(tool: AgentTool<Input>): Tool {
  const { name, description, requiresApproval = true, readOnly = false } = tool;
  const asks = (value: Input) =>
    typeof requiresApproval === 'boolean' ? requiresApproval : requiresApproval(value);
  return defineTool<z.ZodType<Input>>({
    name,
    description,
    input: () => tool.input,
    title: (value) => startOf(`${name} ${JSON.stringify(value)}`, TITLE),
    access: (value) => [
      {
        kind: 'execute',
        target: name,
        ...(readOnly && { looks: true }),
        ...(!asks(value) && { free: true }),
      },
    ],
    async run(value, context) {
      const result = await tool.execute(value, context);
      return typeof result === 'string' ? ok(result) : result;
    },
  });
}

/** Prefix for tools of the embedding program, like the plugin name for plugin tools. */
const OWNER = 'app';
const NAME = /^[\w.-]{1,64}$/;

/** Permissions and failures are handled as for a plugin named `app`. */
export function ownTools(tools: readonly Tool[], taken: Iterable<string>): Tool[] {
  if (tools.length > 0 && new Set(taken).has(OWNER))
    throw new UserError(
      `The MCP server name ${OWNER} is reserved for the tools you define.`,
      'Give the server another name in the settings.',
    );
  return tools.map((tool, i) => {
    if (!NAME.test(tool.name))
      throw new UserError(
        `"${tool.name}" is not a valid tool name.`,
        'Use letters, digits, ".", "_" and "-", at most 64.',
      );
    if (tools.findIndex(({ name }) => name === tool.name) !== i)
      throw new UserError(`Two tools are named ${tool.name}.`, 'Give one of them another name.');
    try {
      return pluginTool(OWNER, tool);
    } catch (error) {
      throw new UserError(
        `The input schema of the tool ${tool.name} cannot be converted to JSON Schema: ${(error as Error).message}`,
        'Use zod 4 types that JSON Schema supports.',
        { cause: error },
      );
    }
  });
}
