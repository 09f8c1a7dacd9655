import { Lexer, type Token } from 'marked';

/** A block of Markdown at the top level. `start` is its place in the text and stays the same while it grows. */
type Block = { start: number; token: Token };

/** The blocks of a text that may grow. Those that are settled never change, whatever follows. */
export type Blocks = { text: string; settled: readonly Block[]; open: readonly Block[] };

export const noBlocks: Blocks = { text: '', settled: [], open: [] };

/** The blocks of `text`. If it begins with the text before, only what may have changed is read again. */
export function readBlocks(before: Blocks, source: string): Blocks {
  const text = source.replaceAll(/\r\n?/g, '\n');
  if (text === before.text) return before;
  const continues = text.startsWith(before.text);
  const settled = continues ? before.settled : [];
  const start = continues ? (before.open[0]?.start ?? before.text.length) : 0;
  const blocks = blocksFrom(text, start);
  // The last block may still grow, also over the blank lines after it.
  const last = blocks.findLastIndex(({ token }) => token.type !== 'space');
  const open = Math.max(0, last);
  return { text, settled: [...settled, ...blocks.slice(0, open)], open: blocks.slice(open) };
}

function blocksFrom(text: string, from: number): Block[] {
  let start = from;
  return Lexer.lex(text.slice(from), { gfm: true }).map((token) => {
    const block = { start, token };
    start += token.raw.length;
    return block;
  });
}
