import type { SlashCommand, WindowUse } from '../contract/command.ts';
import { counted } from '../lib/text/counted.ts';
import { shortCount } from '../lib/text/short-count.ts';
import { cellsOf, contextRows, FREE } from './format/context-bar.ts';

const BAR = 40;
/** One sign per part, so that the bar can be read in every terminal. */
const SIGNS = '#=+*~o%@';

export const context: SlashCommand = {
  name: 'context',
  forGuests: true,
  description: 'Show what fills the context window',
  async execute(_args, { window, print }) {
    print(describeUse(await window.use()));
  },
};

/** By part and by largest item, with a bar. */
function describeUse(use: WindowUse): string {
  const rows = contextRows(use);
  const signOf = (name: string) =>
    name === FREE ? '.' : (SIGNS[use.parts.findIndex((part) => part.name === name) % SIGNS.length] ?? '#');
  const cells = cellsOf(rows, BAR);
  return [
    useTitle(use),
    `[${rows.map(({ name }, i) => signOf(name).repeat(cells[i] ?? 0)).join('')}]`,
    ...columns(rows.map(({ name, tokens, share }) => [`${signOf(name)} ${name}`, shortCount(tokens), share])),
    ...(use.biggest.length === 0
      ? []
      : ['Biggest:', ...columns(use.biggest.map(({ name, tokens }) => [name, shortCount(tokens)]))]),
    compactionLine(use),
    ...droppedLine(use),
  ].join('\n');
}

export function useTitle({ model, account, window, total }: WindowUse): string {
  const who = account === undefined ? model : `${model} (account ${account})`;
  return `${who}: ${shortCount(total)} of ${shortCount(window)} tokens (${Math.round((100 * total) / window)}%)`;
}

export function compactionLine({ compactAt }: WindowUse): string {
  return `Auto-compacts at ${shortCount(compactAt)} tokens`;
}

function droppedLine({ reasoningDropped = 0 }: WindowUse): string[] {
  if (reasoningDropped === 0) return [];
  return [`The vendor left out ${counted(reasoningDropped, 'block')} of earlier reasoning; /diag shows why.`];
}

/** The first column left-aligned, numbers right-aligned. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (i: number) => Math.max(...rows.map((row) => row[i]?.length ?? 0));
  return rows.map(
    (row) =>
      `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join('  ')}`,
  );
}
