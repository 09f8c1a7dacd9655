import type { SlashCommand } from '../contract/command.ts';

export const trust: SlashCommand = {
  name: 'trust',
  needs: 'user',
  description: 'Trust this folder: edits and sandboxed commands run without asking; /trust ask keeps asking',
  async execute(args, { trustFolder, print }) {
    print(trustFolder ? await trustFolder(args) : 'Not available here. Run `aca trust` in this folder.');
  },
};
