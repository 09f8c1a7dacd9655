/** A row with the number of its first line in the file. */
export type CsvRow = { line: number; cells: string[] };

/**
 * Parses comma-separated values (RFC 4180): quoted cells may contain commas, doubled quotes and line breaks.
 * Blank lines are skipped. Throws an `UnclosedQuote` at the end of the file.
 */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const cell = /("(?:[^"]|"")*"[^,\r\n]*|[^,\r\n]*)(,|\r?\n|\r|$)/y;
  const source = text.replace(/^\uFEFF/, '');
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  while (cell.lastIndex < source.length) {
    const began = line;
    const [written = '', value = '', end = ''] = cell.exec(source) ?? [];
    line += written.split(/\r\n|\n|\r/).length - 1;
    if (value.startsWith('"') && !/^"(?:[^"]|"")*"/.test(value)) throw new UnclosedQuote(began);
    row.cells.push(unquoted(value));
    if (end === ',' && cell.lastIndex < source.length) continue;
    if (end === ',') row.cells.push('');
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}

export class UnclosedQuote extends Error {
  readonly line: number;

  constructor(line: number) {
    super('a quoted cell does not end');
    this.line = line;
  }
}

function unquoted(value: string): string {
  const [, inner, rest = ''] = /^"((?:[^"]|"")*)"(.*)$/s.exec(value) ?? [];
  return inner === undefined ? value : inner.replaceAll('""', '"') + rest;
}
