import type { SlashCommand } from '../contract/command.ts';
import { count } from './compact.ts';

export const uncompact: SlashCommand = {
  name: 'uncompact',
  forGuests: true,
  description: 'Undo the last compaction',
  async execute(_args, { window, print }) {
    const done = await window.uncompact();
    if (!done) return print('Nothing is compacted.');
    const { compactAt } = await window.use();
    const again =
      done.after > compactAt
        ? " That does not fit the model's context, so the next prompt compacts it again."
        : '';
    print(`Compaction undone: ${count(done.before)} tokens before, ${count(done.after)} now.${again}`);
  },
};
