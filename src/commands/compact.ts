import type { Compacted, SlashCommand } from '../contract/command.ts';

export const compact: SlashCommand = {
  name: 'compact',
  description: 'Summarise the older part of the conversation now: /compact [what to keep above all]',
  async execute(args, { window, print, signal }) {
    const done = await window.compact(args.join(' '), signal);
    if (!done && signal.aborted) return print('Interrupted. Nothing is compacted.');
    print(
      done ? `${describeCompaction(done)} /uncompact takes it back.` : 'There is nothing to compact yet.',
    );
  },
};

/** What was gained, and how. */
export function describeCompaction({ before, after, by }: Compacted): string {
  return `Compacted from ${count(before)} to ${count(after)} tokens: ${HOW[by] ?? `older messages are summarised by ${by}`}.`;
}

const HOW: Readonly<Record<string, string>> = {
  squeeze: 'older tool output is sent in a shorter form',
  extract: 'older messages are summarised without a model',
};

export function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}
