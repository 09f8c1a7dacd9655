import type { Compacted, SlashCommand } from '../contract/command.ts';

export const compact: SlashCommand = {
  name: 'compact',
  forGuests: true,
  description: 'Summarize the older part of the conversation: /compact [what to keep]',
  async execute(args, { window, print, signal }) {
    const done = await window.compact(args.join(' '), signal);
    if (!done && signal.aborted) return print('Interrupted. Nothing was compacted.');
    print(done ? `${describeCompaction(done)} Undo it with /uncompact.` : 'Nothing to compact yet.');
  },
};

/** What was saved, and how. */
export function describeCompaction({ before, after, by }: Compacted): string {
  return `Compacted from ${count(before)} to ${count(after)} tokens: ${HOW[by] ?? `older messages summarized by ${by}`}.`;
}

const HOW: Readonly<Record<string, string>> = {
  squeeze: 'older tool output shortened',
  extract: 'older messages summarized without a model',
};

export function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}
