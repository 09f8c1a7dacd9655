import type { SlashCommand } from '../contract/command.ts';

export const help: SlashCommand = {
  name: 'help',
  description: 'List the commands',
  async execute(_args, { commands, print }) {
    const width = Math.max(...commands.map(({ name }) => name.length));
    print(commands.map(({ name, description }) => `/${name.padEnd(width)}  ${description}`).join('\n'));
  },
};
