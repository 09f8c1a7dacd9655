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

/** As other assistants write it, in seconds. */
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
        .refine(isPattern, 'It must be a regular expression.')
        .exactOptional()
        .describe('Which tools it is for: a regular expression for the whole name; without it, all'),
      command: z.string().min(1).exactOptional().describe('The command line to run'),
      timeoutMs: z
        .number()
        .int()
        .min(1)
        .exactOptional()
        .describe('Longest time in milliseconds; without it, 60 s'),
      hooks: z.array(nested()).exactOptional().describe('Several commands, as other assistants write them'),
    })
    .refine(({ command, hooks }) => (command === undefined) !== (hooks === undefined), {
      error: 'It needs either a command or hooks.',
    });

const WHEN: Record<(typeof hookPoints)[number], string> = {
  PreToolUse: 'Before a call is judged: may refuse it or change its input',
  PostToolUse: 'After a call: may tell the model something',
  UserPromptSubmit: 'Before a prompt is sent: may refuse it or add to it',
  Stop: 'Before a run ends: may send the model back to work',
  SessionStart: 'Before the first prompt of a session: may add to it',
  SessionEnd: 'When a session is closed',
  PreCompact: 'Before older messages are compacted: may keep them',
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
