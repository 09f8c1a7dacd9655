import type { SlashCommand } from '../contract/command.ts';
import { compareText } from '../lib/text/compare.ts';

/** The headings of `/help`, in order. */
export const builtinGroups = ['Conversation', 'Changes', 'Model', 'Project', 'Safety', 'Setup'] as const;

export type BuiltinGroup = (typeof builtinGroups)[number];

const CUSTOM = 'Custom commands';

type Listed = Pick<SlashCommand, 'name' | 'description'>;

/** All commands by heading, each group by name; those of users, plugins and servers come last. */
export function groupCommands(commands: readonly SlashCommand[]): { title: string; commands: Listed[] }[] {
  const titles = new Set<string>([...builtinGroups, ...commands.map(({ group = CUSTOM }) => group)]);
  return [...titles]
    .map((title) => ({
      title,
      commands: commands
        .filter(({ group = CUSTOM }) => group === title)
        .toSorted((a, b) => compareText(a.name, b.name)),
    }))
    .filter((group) => group.commands.length > 0);
}
