import type { SlashCommand } from '../contract/command.ts';
import { count } from './compact.ts';

export const uncompact: SlashCommand = {
  name: 'uncompact',
  description: 'Take back the last compaction; nothing said was lost by it',
  async execute(_args, { window, print }) {
    const done = await window.uncompact();
    if (!done) return print('Nothing is compacted.');
    const { compactAt } = await window.use();
    const again =
      done.after > compactAt ? ' That is too much for the model: the next prompt compacts it again.' : '';
    print(
      `The last compaction is taken back: ${count(done.before)} tokens before, ${count(done.after)} now.${again}`,
    );
  },
};
