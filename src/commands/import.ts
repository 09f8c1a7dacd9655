import type { SlashCommand } from '../contract/command.ts';

export const importSettings: SlashCommand = {
  name: 'import',
  description:
    'Show which settings of other assistants are used: /import [use | ignore | copy] [claude | codex | …]',
  async execute(args, { importSettings: answer, print }) {
    print(answer ? await answer(args) : 'Not available here.');
  },
};
