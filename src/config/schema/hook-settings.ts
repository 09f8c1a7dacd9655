import * as z from 'zod';
import { type HookEvent, hookEvents } from '../../contract/hook-event.ts';

function isPattern(text: string): boolean {
  try {
    return new RegExp(text === '*' ? '' : text) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The format of other assistants. `timeout` is in seconds. */
const nested = () =>
  z
    .strictObject({
      type: z.enum(['command', 'http']).exactOptional(),
      command: z.string().min(1).exactOptional(),
      args: z.array(z.string()).exactOptional(),
      async: z.boolean().exactOptional(),
      url: z.url({ protocol: /^https?$/ }).exactOptional(),
      headers: z.record(z.string().min(1), z.string()).exactOptional(),
      allowedEnvVars: z.array(z.string()).exactOptional(),
      timeout: z.number().min(1).exactOptional(),
      if: z.string().min(1).exactOptional(),
      once: z.boolean().exactOptional(),
      statusMessage: z.string().exactOptional(),
    })
    .refine(({ type = 'command', command, url }) => (type === 'http' ? url : command) !== undefined, {
      error: 'It needs a command, or a url if its type is http.',
    });

/** One entry of an event. */
export const hookEntry = () =>
  z
    .strictObject({
      matcher: z
        .string()
        .refine(isPattern, 'It must be a valid regular expression.')
        .exactOptional()
        .describe('Names separated by |, or a regular expression (default: everything)'),
      command: z.string().min(1).exactOptional().describe('Command line to run'),
      timeoutMs: z.number().int().min(1).exactOptional().describe('Timeout in milliseconds (default: 60s)'),
      hooks: z
        .array(nested())
        .exactOptional()
        .describe('List of commands and URLs, in the format other assistants use'),
    })
    .refine(({ command, hooks }) => (command === undefined) !== (hooks === undefined), {
      error: 'It needs either a command or hooks.',
    });

const WHEN: Record<HookEvent, string> = {
  PreToolUse: 'Before a tool call is checked; can deny it or change its input',
  PermissionRequest: 'Before you are asked about a tool call; can answer for you',
  PostToolUse: 'After a successful tool call; can pass information to the model',
  PostToolUseFailure: 'After a failed tool call; can pass information to the model',
  UserPromptSubmit: 'Before a prompt is sent; can block it or add to it',
  Notification: 'When a question or an idle prompt waits for you',
  SubagentStart: 'Before a subagent starts; can add to its task',
  SubagentStop: 'Before a subagent ends; can make it continue',
  Stop: 'Before a run ends; can make the model continue',
  StopFailure: 'When a run ends with an error',
  PreCompact: 'Before older messages are compacted; can prevent it',
  PostCompact: 'After older messages were compacted',
  SessionStart: 'Before the first prompt of a session; can add to it',
  SessionEnd: 'When a session ends',
};

type HookList = z.ZodDefault<z.ZodArray<ReturnType<typeof hookEntry>>>;

export const hookSettings = () =>
  z.strictObject(
    // Every event has a list: the keys of a table that was made from all of them.
    Object.fromEntries(
      hookEvents.map((event) => [event, z.array(hookEntry()).default([]).describe(WHEN[event])]),
    ) as Record<HookEvent, HookList>,
  );
