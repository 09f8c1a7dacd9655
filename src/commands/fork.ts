import type { SlashCommand } from '../contract/command.ts';
import { promptNumbered } from './prompts.ts';

export const fork: SlashCommand = {
  name: 'fork',
  description:
    'Go on in a copy of this session, or of what came before a prompt: /fork 2 (/rewind numbers them)',
  async execute([number], { sessions, print }) {
    await sessions.ready;
    const { messages } = sessions.session;
    if (messages.length === 0) return print('There is nothing to copy yet.');
    const prompt = number === undefined ? undefined : promptNumbered(number, messages);
    if (prompt === null) return print(`There is no prompt ${number}. /rewind lists them.`);
    const before = sessions.session.id.slice(0, 8);
    const id = await sessions.fork(prompt?.message);
    print(`This is the copy, ${id.slice(0, 8)}. The original stays as it is: aca --resume ${before}`);
  },
};
