import * as z from 'zod';
import type { Access } from '../contract/permission.ts';
import { fail, type Tool, type ToolContext, type ToolResult } from '../contract/tool.ts';
import { limited, unlessAborted } from '../lib/async/abort.ts';
import type { PluginTool } from './plugin.ts';
import { accessesOf, displayOf, toolResultOf } from './tool-result.ts';

/** A tool that does not answer within this time is abandoned. */
const ANSWER_MS = 10 * 60_000;

/**
 * A plugin's tool for the router, named `plugin:tool`, so that it cannot clash with a built-in one. Whatever
 * a plugin throws, returns or never returns fails that call, not the run.
 */
export function pluginTool(
  plugin: string,
  tool: PluginTool | Tool,
  { timeoutMs = ANSWER_MS }: { timeoutMs?: number } = {},
): Tool {
  const name = `${plugin}:${tool.name}`;
  /** Runs the plugin's own code, unsandboxed in this process. */
  const itself: Access = { kind: 'execute', target: name };
  const schema = 'execute' in tool ? objectSchema(tool.parameters) : tool.input;
  const parameters = 'execute' in tool ? tool.parameters : parametersOf(schema);
  const common = { name, description: tool.description, parameters, input: guarded(schema) };
  const usual = (input: unknown) => titleOf(name, input);
  const answer = async (work: () => unknown, { signal }: ToolContext): Promise<ToolResult> => {
    const late = limited(timeoutMs, signal);
    const returned = await unlessAborted(
      Promise.resolve()
        .then(work)
        .then((value) => ({ value })),
      late,
    );
    if (returned) return toolResultOf(name, returned.value);
    return fail(`${name} timed out after ${timeoutMs / 1000}s.`);
  };
  if ('execute' in tool) {
    return {
      ...common,
      title: usual,
      access: (input) =>
        attempt(
          () => [
            {
              ...itself,
              ...(tool.readOnly === true && { looks: true as const }),
              ...(!needsApproval(tool, input as Params) && { free: true as const }),
            },
          ],
          () => [itself],
        ),
      run: (input, context) => answer(() => tool.execute(input as Params, context), context),
    };
  }
  return {
    ...common,
    title: (input, shown) =>
      attempt(
        () => textOr(heard(tool.title(input, shown)), () => usual(input)),
        () => usual(input),
      ),
    access: (input) =>
      attempt(
        () => accessesOf(heard(tool.access(input))) ?? [itself],
        () => [itself],
      ),
    ...(tool.preview && {
      preview: async (input, context) => displayOf(await tool.preview?.(input, context)) ?? undefined,
    }),
    run: (input, context) => answer(() => tool.run(input, context), context),
  };
}

/** The schema only accepts objects. */
type Params = Record<string, unknown>;

const TITLE = 60;

function objectSchema(parameters: Params): z.ZodType {
  return z.fromJSONSchema({ type: 'object', ...parameters });
}

function parametersOf(schema: z.ZodType): Params {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return parameters;
}

/** A plugin's own validation that throws means invalid input. */
function guarded(schema: z.ZodType): z.ZodType {
  return z.unknown().transform((value, context) => {
    const parsed = attempt(
      () => schema.safeParse(value),
      () => null,
    );
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
    : attempt(
        () => heard(requiresApproval(input)) !== false,
        () => true,
      );
}

function titleOf(name: string, input: unknown): string {
  const written = attempt(
    () => JSON.stringify(input) ?? '',
    () => '',
  );
  return `${name} ${written.length > TITLE ? `${written.slice(0, TITLE)}…` : written}`.trimEnd();
}

function textOr(value: unknown, otherwise: () => string): string {
  return typeof value === 'string' ? value : otherwise();
}

/** An unexpected promise: its rejection must not surface later. */
function heard(value: unknown): unknown {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

function attempt<T>(action: () => T, otherwise: () => T): T {
  try {
    return action();
  } catch {
    // If the plugin throws here, the safe default is used.
    return otherwise();
  }
}
