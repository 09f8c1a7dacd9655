/**
 * Passed to ripgrep as the folder to search. No path on disk has a segment `.`, so a record that starts with
 * this starts a path, whatever newlines the previous names contain.
 */
export const PATH_START = '././';

/**
 * A line of a file, `:` for a match and `-` for context; or a count instead of `line`. `column`: start of its
 * first match, in bytes from 1; 0 for context or a count.
 */
export type GrepHit = { line: number; column: number; mark: ':' | '-'; text: string };

export type GrepListener = {
  /** Called once for all records of one file; returns false to skip them. */
  onFile(file: string): boolean;
  /** Called for every hit; the hit is parsed only if it returns true: most of a flood is only counted. */
  onLine(mark: GrepHit['mark']): boolean;
  onHit(hit: GrepHit): void;
};

/**
 * Parses ripgrep's records: `path NUL line : column : text`, `path NUL line - text` for context, or `path NUL
 * count`. Anything else is a message and is skipped. All records of one file are consecutive. A path with
 * newlines spans several records; `onFile` gets it complete, without `PATH_START`.
 */
export function grepReader({ onFile, onLine, onHit }: GrepListener): (record: string) => void {
  let start = '';
  let wanted = false;
  /** The start of a path that continues in a later record; or a message, which has no path. */
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
    const kind = mark === '-' ? '-' : ':';
    if (!onLine(kind)) return;
    onHit({
      line: Number(record.slice(start.length, at)),
      column: mark === ':' ? Number(record.slice(columnAt, textAt - 1)) : 0,
      mark: kind,
      text: record.slice(textAt).replace(/\r$/, ''),
    });
  };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
