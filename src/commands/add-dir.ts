import type { SlashCommand } from '../contract/command.ts';

export const addDir: SlashCommand = {
  name: 'add-dir',
  needs: 'terminal',
  description: 'Open another folder for this session, to read and change: /add-dir ../other',
  async execute(words, { addFolder, print }) {
    const folder = words.join(' ');
    if (folder === '') return print('Name a folder, as in /add-dir ../other.');
    if (!addFolder) return print('Folders can only be opened at the start here: --add-dir.');
    print(await addFolder(folder));
  },
};
