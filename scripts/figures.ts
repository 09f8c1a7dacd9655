import path from 'node:path';
import { anchorOf, type Page } from './links.ts';

/** The figures in the documentation. bench/results.md is their only source; `npm run docs` copies them. */

const SOURCE = 'bench/results.md';
/**
 * A figure in a sentence is a link whose title names its row and column, and optionally the commit whose table is
 * meant: `[69 ms](bench/results.md "spawn to prompt painted, ms: this, binary at 45641a3")`. ` × 1000` after the column
 * makes it an estimate: so many times the figure, with two digits.
 */
const LINK = /`[^`\n]*`|\[([^\]]*)\]\([^()\s]*bench\/results\.md[^()\s]*\s+"([^"]*): ([^":]*)"\)/g;
const BLOCK = /<!-- figures: ([^\n]*?) -->\n[\s\S]*?<!-- \/figures -->/g;

type Section = {
  heading: string;
  /** Each row's cells, by column. */
  rows: Map<string, Map<string, string>>;
  bareMs: number | null;
};

type Figure = { value: number; section: Section };

/** The tables of bench/results.md, oldest first. */
export function sectionsOf(results: string): Section[] {
  return results
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const rows: Section['rows'] = new Map();
      for (const [table = ''] of text.matchAll(/(?:^\|.*\n?)+/gm)) {
        const [head = [], , ...body] = table.trim().split('\n').map(cellsOf);
        for (const cells of body) {
          const [what = ''] = cells;
          rows.set(what, new Map([...(rows.get(what) ?? []), ...columnsOf(head, cells)]));
        }
      }
      const bare = /Bare runtime, spawn to exit: ([\d.]+) ms/.exec(text)?.[1];
      return {
        heading: text.slice(0, text.indexOf('\n')),
        rows,
        bareMs: bare === undefined ? null : Number(bare),
      };
    });
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function columnsOf(head: readonly string[], cells: readonly string[]): Map<string, string> {
  return new Map(cells.map((cell, i) => [head[i] ?? '', cell]));
}

/** The page with the latest figures. Throws if it names a figure that was never recorded. */
export function withFigures({ file, text }: Page, sections: readonly Section[]): string {
  return text
    .replaceAll(LINK, (whole, words?: string, what = '', column = '') => {
      if (words === undefined) return whole;
      const [name = '', times] = column.split(' × ');
      const { value, section } = latest(sections, { what, column: name, file });
      const target = path.posix.relative(path.posix.dirname(file), SOURCE);
      const fresh = words.replace(
        /[\d.,]*\d/,
        shown(times === undefined ? value : estimate(value * Number(times))),
      );
      return `[${fresh}](${target}#${anchorOf(section.heading)} "${what}: ${column}")`;
    })
    .replaceAll(BLOCK, (_, columns: string) => {
      const table = tableOf(columns.split(' | '), { sections, file });
      return `<!-- figures: ${columns} -->\n\n${table}\n\n<!-- /figures -->`;
    });
}

type Wanted = { what: string; column: string; file: string };

function latest(sections: readonly Section[], { what, column, file }: Wanted): Figure {
  const [name = '', commit = ''] = column.split(' at ');
  const section = sections.findLast(
    ({ heading, rows }) => heading.includes(commit) && rows.get(what)?.has(name),
  );
  const value = Number(section?.rows.get(what)?.get(name));
  if (!section || Number.isNaN(value))
    throw new Error(`${file}: ${SOURCE} has no figure "${what}: ${column}"`);
  return { value, section };
}

/** The rows of the first column's latest table, and when each column was measured. */
function tableOf(
  columns: readonly string[],
  { sections, file }: { sections: readonly Section[]; file: string },
): string {
  const sources = columns.map((column) => {
    const section = sections.findLast(({ rows }) => [...rows.values()].some((row) => row.has(column)));
    if (!section) throw new Error(`${file}: ${SOURCE} has no column "${column}"`);
    return section;
  });
  const measured = [...(sources[0]?.rows ?? [])].filter(([, row]) => row.has(columns[0] ?? ''));
  const lines = measured.map(([what]) => [
    what,
    ...columns.map((column, i) => cellOf(sources[i]?.rows.get(what)?.get(column))),
  ]);
  const table = [['what', ...columns], ...lines];
  const widths = ['what', ...columns].map((_, i) => Math.max(...table.map((cells) => cells[i]?.length ?? 0)));
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [
    row(['what', ...columns]),
    row(rule),
    ...lines.map(row),
    '',
    sentenceOf(columns, { sources, file }),
  ].join('\n');
}

function cellOf(cell: string | undefined): string {
  return cell === undefined ? '–' : shown(Number(cell));
}

function sentenceOf(
  columns: readonly string[],
  { sources, file }: { sources: readonly Section[]; file: string },
): string {
  const target = path.posix.relative(path.posix.dirname(file), SOURCE);
  const parts = [...new Set(sources)].map((section) => {
    const names = columns.filter((_, i) => sources[i] === section).map((column) => `“${column}”`);
    const facts = section.heading.replace(/^Beside [^,]*, /, '');
    const bare = section.bareMs === null ? '' : `; a bare \`node -e 0\` took ${shown(section.bareMs)} ms`;
    return `${names.join(' and ')}: [${facts}](${target}#${anchorOf(section.heading)})${bare}.`;
  });
  return parts.join('\n');
}

function estimate(value: number): number {
  return Number(value.toPrecision(2));
}

function shown(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : String(value);
}
