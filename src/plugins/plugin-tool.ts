import * as z from 'zod';
import type { Access } from '../contract/permission.ts';
import { fail, ok, type Tool, type ToolResult } from '../contract/tool.ts';
import type { PluginTool } from './plugin.ts';

/**
 * A plugin's tool as the router takes it, named `plugin:tool`: no tool of ours can be meant. What a plugin throws
 * while it is only asked about a call costs that call, never the run.
 */
export function pluginTool(plugin: string, tool: PluginTool | Tool): Tool {
  const name = `${plugin}:${tool.name}`;
  /** Runs the plugin's own code, in this process: nothing contains it. */
  const itself: Access = { kind: 'execute', target: name };
  const schema = 'execute' in tool ? objectSchema(tool.parameters) : tool.input;
  const parameters = 'execute' in tool ? tool.parameters : parametersOf(schema);
  const common = { name, description: tool.description, parameters, input: guarded(schema) };
  if ('execute' in tool) {
    return {
      ...common,
      title: (input) => titleOf(name, input),
      access: (input) => [
        {
          ...itself,
          ...(tool.readOnly === true && { looks: true }),
          ...(!needsApproval(tool, input as Params) && { free: true }),
        },
      ],
      run: async (input, context) => resultOf(name, await tool.execute(input as Params, context)),
    };
  }
  return {
    ...common,
    title: (input) => attempt(() => tool.title(input), titleOf(name, input)),
    access: (input) => attempt(() => tool.access(input), [itself]),
    ...(tool.preview && { preview: async (input, context) => tool.preview?.(input, context) }),
    run: async (input, context) => resultOf(name, await tool.run(input, context)),
  };
}

/** What the schema lets through is an object. */
type Params = Record<string, unknown>;

const TITLE = 60;

function objectSchema(parameters: Params): z.ZodType {
  return z.fromJSONSchema({ type: 'object', ...parameters });
}

function parametersOf(schema: z.ZodType): Params {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return parameters;
}

/** A check of the plugin's own that throws is a wrong input. */
function guarded(schema: z.ZodType): z.ZodType {
  return z.unknown().transform((value, context) => {
    const parsed = attempt(() => schema.safeParse(value), null);
    if (parsed?.success) return parsed.data;
    for (const { path, message } of parsed?.error.issues ?? [
      { path: [], message: 'The check itself failed.' },
    ])
      context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
}

function needsApproval({ requiresApproval = true }: PluginTool, input: Params): boolean {
  return typeof requiresApproval === 'boolean'
    ? requiresApproval
    : attempt(() => requiresApproval(input) !== false, true);
}

function titleOf(name: string, input: unknown): string {
  const written = JSON.stringify(input) ?? '';
  return `${name} ${written.length > TITLE ? `${written.slice(0, TITLE)}…` : written}`;
}

function resultOf(name: string, result: unknown): ToolResult {
  if (typeof result === 'string') return ok(result);
  const { success, output, error } = (result ?? {}) as Record<string, unknown>;
  // The parts that decide are looked at; what else is in it is for eyes and programs.
  if (success === true && typeof output === 'string') return result as ToolResult;
  if (success === false && typeof error === 'string') return result as ToolResult;
  return fail(`${name} gave no result: it must return a text, or success with output or error.`);
}

function attempt<T>(deed: () => T, otherwise: T): T {
  try {
    return deed();
  } catch {
    // Whatever a plugin throws here, the safe answer stands in for its own.
    return otherwise;
  }
}
