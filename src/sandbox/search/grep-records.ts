/**
 * Given to ripgrep as the folder to search. No path on disk has a segment that is a dot, so a record that begins with
 * this begins a path, whatever newlines the names before it hold.
 */
export const PATH_START = '././';

/**
 * A line of a file, `:` for one that matches and `-` for one of its neighbours; or a count in place of `line`.
 * `column`: where its first match begins, in bytes from 1; 0 for a neighbour or a count.
 */
export type GrepHit = { line: number; column: number; mark: ':' | '-'; text: string };

export type GrepListener = {
  /** Told once for a run of records of one file; false when they are of no interest. */
  onFile(file: string): boolean;
  /** Told of every hit; only where it answers yes is the hit put together: most of a flood is counted and no more. */
  onLine(): boolean;
  onHit(hit: GrepHit): void;
};

/**
 * Reads ripgrep's records: `path NUL line : column : text`, `path NUL line - text` for a line of context, or
 * `path NUL count`. Anything else is a remark and is passed over. All records of one file come in a row. A path with
 * newlines in it comes as several records; `onFile` gets it whole, without `PATH_START`.
 */
export function grepReader({ onFile, onLine, onHit }: GrepListener): (record: string) => void {
  let start = '';
  let wanted = false;
  /** The beginning of a path whose end is in a later record; or a remark, which has none. */
  let unfinished = '';

  return (piece) => {
    const isStart = piece.startsWith(PATH_START);
    const record = isStart ? piece : unfinished + piece;
    if (start === '' || !record.startsWith(start)) {
      const end = record.indexOf('\0');
      const isPath = record.startsWith(PATH_START);
      unfinished = isPath && end === -1 ? `${record}\n` : '';
      if (!isPath || end === -1) return;
      start = record.slice(0, end + 1);
      wanted = onFile(record.slice(PATH_START.length, end));
    }
    unfinished = '';
    if (!wanted) return;

    let at = start.length;
    while (isDigit(record.charCodeAt(at))) at++;
    const mark = record.charAt(at);
    if (at === start.length || (mark !== ':' && mark !== '-' && mark !== '' && mark !== '\r')) return;
    const columnAt = at + 1;
    let textAt = columnAt;
    if (mark === ':') {
      while (isDigit(record.charCodeAt(textAt))) textAt++;
      if (textAt === columnAt || record.charAt(textAt++) !== ':') return;
    }
    if (!onLine()) return;
    onHit({
      line: Number(record.slice(start.length, at)),
      column: mark === ':' ? Number(record.slice(columnAt, textAt - 1)) : 0,
      mark: mark === '-' ? '-' : ':',
      text: record.slice(textAt).replace(/\r$/, ''),
    });
  };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
