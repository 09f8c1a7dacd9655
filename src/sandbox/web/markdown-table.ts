const MAX_CELL = 300;

/** Rows of texts as a table; a layout table becomes plain text. */
export function tableToMarkdown(table: readonly (readonly string[])[]): string {
  const rows = table.filter((row) => row.some((cell) => cell !== ''));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const isData =
    width > 1 &&
    rows.length > 1 &&
    rows.every((row) => row.every((cell) => cell.length <= MAX_CELL && !cell.includes('\n')));
  if (!isData) return rows.map(plainRow).join('\n');

  const lines = rows.map((row) => lineOf(Array.from({ length: width }, (_, i) => row[i] ?? '')));
  const rule = lineOf(new Array<string>(width).fill('---'));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function plainRow(row: readonly string[]): string {
  const cells = row.filter((cell) => cell !== '');
  return cells.join(cells.some((cell) => cell.includes('\n')) ? '\n' : ' ');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
