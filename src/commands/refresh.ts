import type { SlashCommand } from '../contract/command.ts';
import { count } from './compact.ts';

export const refresh: SlashCommand = {
  name: 'refresh',
  description: 'Reload instructions and tools now, at the cost of the prompt cache',
  async execute(_args, { window, print }) {
    const { prefix, tokens } = await window.refresh();
    print(
      `Instructions and tools reloaded (${count(prefix)} tokens). The next request pays for all ${count(tokens)} tokens in full, and the model continues without its earlier reasoning.`,
    );
  },
};
