import * as z from 'zod';

/** Names of other assistants in the settings. */
export const assistantNames = ['claude', 'codex', 'gemini', 'cursor', 'opencode'] as const;

export type AssistantName = (typeof assistantNames)[number];

/** What is used of the files that another assistant keeps in the user's home folder. */
export const consents = ['use', 'no-settings', 'ignore'] as const;

const consent = (title: string, folder: string) =>
  z
    .enum(consents)
    .exactOptional()
    .describe(
      `Files of ${title} in ${folder}: \`use\` all, \`no-settings\` for instructions, commands, skills and subagents only, or \`ignore\` all (default: everything but settings that loosen something)`,
    );

export const otherAssistants = () =>
  z.strictObject({
    claude: consent('Claude Code', '~/.claude'),
    codex: consent('Codex CLI', '~/.codex'),
    gemini: consent('Gemini CLI', '~/.gemini'),
    cursor: consent('Cursor', '~/.cursor'),
    opencode: consent('opencode', '~/.config/opencode'),
  });
