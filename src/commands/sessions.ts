import type { SlashCommand } from '../contract/command.ts';
import { sessionLines } from './format/sessions.ts';

const LISTED = 20;

export const sessions: SlashCommand = {
  name: 'sessions',
  description: 'List recent sessions in this folder; /sessions all lists every folder',
  async execute([which], { sessions, cwd, print }) {
    const all = sessions.list().filter(({ workingDirectory }) => which === 'all' || workingDirectory === cwd);
    if (all.length === 0) return print('No sessions in this folder yet. Try /sessions all.');
    const { id } = sessions.session;
    const lines = sessionLines(all.slice(0, LISTED), { cwd, current: id });
    const rest = all.length > LISTED ? [`  … ${all.length - LISTED} more: aca sessions`] : [];
    print([...lines, ...rest, 'Resume one with /resume ID.'].join('\n'));
  },
};
