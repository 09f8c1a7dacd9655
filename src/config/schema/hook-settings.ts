import * as z from 'zod';

/** When a hook runs. */
export const hookPoints = [
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'Stop',
  'SessionStart',
  'SessionEnd',
  'PreCompact',
] as const;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text === '*' ? '' : text) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The format of other assistants, in seconds. */
const nested = () =>
  z.strictObject({
    type: z.literal('command').exactOptional(),
    command: z.string().min(1),
    timeout: z.number().min(1).exactOptional(),
  });

const hook = () =>
  z
    .strictObject({
      matcher: z
        .string()
        .refine(isPattern, 'It must be a valid regular expression.')
        .exactOptional()
        .describe('Regular expression matched against the full tool name (default: all tools)'),
      command: z.string().min(1).exactOptional().describe('Command line to run'),
      timeoutMs: z.number().int().min(1).exactOptional().describe('Timeout in milliseconds (default: 60s)'),
      hooks: z
        .array(nested())
        .exactOptional()
        .describe('List of commands, in the format other assistants use'),
    })
    .refine(({ command, hooks }) => (command === undefined) !== (hooks === undefined), {
      error: 'It needs either a command or hooks.',
    });

const WHEN: Record<(typeof hookPoints)[number], string> = {
  PreToolUse: 'Before a tool call is checked; can deny it or change its input',
  PostToolUse: 'After a tool call; can pass information to the model',
  UserPromptSubmit: 'Before a prompt is sent; can block it or add to it',
  Stop: 'Before a run ends; can make the model continue',
  SessionStart: 'Before the first prompt of a session; can add to it',
  SessionEnd: 'When a session ends',
  PreCompact: 'Before older messages are compacted; can prevent it',
};

const listFor = (when: string) => z.array(hook()).default([]).describe(when);

export const hookSettings = () =>
  z.strictObject({
    PreToolUse: listFor(WHEN.PreToolUse),
    PostToolUse: listFor(WHEN.PostToolUse),
    UserPromptSubmit: listFor(WHEN.UserPromptSubmit),
    Stop: listFor(WHEN.Stop),
    SessionStart: listFor(WHEN.SessionStart),
    SessionEnd: listFor(WHEN.SessionEnd),
    PreCompact: listFor(WHEN.PreCompact),
  });
