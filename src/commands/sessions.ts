import type { SlashCommand } from '../contract/command.ts';
import { sessionLines } from './format/sessions.ts';

const LISTED = 20;

export const sessions: SlashCommand = {
  name: 'sessions',
  description: 'List the last sessions of this folder; /sessions all lists those of all folders',
  async execute([which], { sessions, cwd, print }) {
    const all = sessions.list().filter(({ workingDirectory }) => which === 'all' || workingDirectory === cwd);
    if (all.length === 0)
      return print('There are no sessions of this folder yet. /sessions all looks everywhere.');
    const { id } = sessions.session;
    const lines = sessionLines(all.slice(0, LISTED), { cwd, current: id });
    const rest = all.length > LISTED ? [`  … ${all.length - LISTED} more: aca sessions`] : [];
    print([...lines, ...rest, 'Go on with one by /resume and its id.'].join('\n'));
  },
};
