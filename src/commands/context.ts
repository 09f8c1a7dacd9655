import type { SlashCommand, WindowUse } from '../contract/command.ts';
import { count } from './compact.ts';

const BAR = 40;

export const context: SlashCommand = {
  name: 'context',
  description: 'Show what fills the context window',
  async execute(_args, { window, print }) {
    print(describeUse(await window.use()));
  },
};

/** By part and by largest item, with a bar that works in every terminal. */
function describeUse({ model, window, total, compactAt, parts, biggest }: WindowUse): string {
  const share = (tokens: number) => `${((100 * tokens) / window).toFixed(1)}%`;
  const rows = [
    ...parts.filter(({ tokens }) => tokens > 0),
    { name: 'free', tokens: Math.max(0, window - total) },
  ].map(({ name, tokens }) => [name, count(tokens), share(tokens)]);
  const filled = Math.min(BAR, Math.round((BAR * total) / window));
  return [
    `${model}: ${count(total)} of ${count(window)} tokens, ${share(total)}`,
    `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`,
    ...columns(rows),
    ...(biggest.length === 0
      ? []
      : ['Biggest:', ...columns(biggest.map(({ name, tokens }) => [name, count(tokens)]))]),
    `Auto-compacts at ${count(compactAt)} tokens.`,
  ].join('\n');
}

/** The first column left-aligned, numbers right-aligned. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (i: number) => Math.max(...rows.map((row) => row[i]?.length ?? 0));
  return rows.map(
    (row) =>
      `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join('  ')}`,
  );
}
