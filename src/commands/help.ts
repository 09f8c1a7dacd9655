import type { SlashCommand } from '../contract/command.ts';
import { groupCommands } from './groups.ts';

export const help: SlashCommand = {
  name: 'help',
  forGuests: true,
  description: 'List the commands',
  async execute(_args, { commands, print }) {
    const width = Math.max(...commands.map(({ name }) => name.length));
    const blocks = groupCommands(commands).map(({ title, commands: listed }) =>
      [title, ...listed.map(({ name, description }) => `  /${name.padEnd(width)}  ${description}`)].join(
        '\n',
      ),
    );
    print(blocks.join('\n\n'));
  },
};
