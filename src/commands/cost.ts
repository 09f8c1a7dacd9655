import type { SlashCommand } from '../contract/command.ts';

export const cost: SlashCommand = {
  name: 'cost',
  description: 'Show the tokens and money this conversation has used',
  async execute(_args, { usage, print }) {
    const { inputTokens, outputTokens, costUsd } = usage();
    const money = costUsd === null ? 'price unknown' : `$${costUsd.toFixed(4)}`;
    print(`${inputTokens} tokens in, ${outputTokens} tokens out, ${money}`);
  },
};
