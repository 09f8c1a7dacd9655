import type { SlashCommand } from '../contract/command.ts';
import { promptNumbered } from './prompts.ts';

export const fork: SlashCommand = {
  name: 'fork',
  needs: 'terminal',
  description:
    'Continue in a copy of this session, or of what came before a prompt: /fork 2 (/rewind lists the numbers)',
  async execute([number], { sessions, print }) {
    await sessions.ready;
    const { messages } = sessions.session;
    if (messages.length === 0) return print('Nothing to copy yet.');
    const prompt = number === undefined ? undefined : promptNumbered(number, messages);
    if (prompt === null) return print(`There is no prompt ${number}. /rewind lists them.`);
    const before = sessions.session.id.slice(0, 8);
    const id = await sessions.fork(prompt?.message);
    print(`You're in the copy, ${id.slice(0, 8)}. Go back to the original with: /resume ${before}`);
  },
};
