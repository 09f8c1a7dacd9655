/**
 * Passed to ripgrep as the folder to search. No path on disk has a segment `.`, so a record that starts with
 * this starts a path, whatever newlines the previous names contain.
 */
export const PATH_START = '././';

/**
 * A line of a file, `:` for a match and `-` for context; or a count instead of `line`. `column`: start of its
 * first match, in bytes from 1; 0 for context or a count. `offset`: where the line starts in the file, in bytes.
 */
export type GrepHit = { line: number; column: number; offset: number; mark: ':' | '-'; text: string };

export type GrepListener = {
  /** Called once for all records of one file; returns false to skip them. */
  onFile(file: string): boolean;
  /** Called for every hit; the hit is parsed only if it returns true: most of a flood is only counted. */
  onLine(mark: GrepHit['mark']): boolean;
  onHit(hit: GrepHit): void;
};

/**
 * Parses ripgrep's records: `path NUL line : column : offset : text`, `path NUL line - offset - text` for context, or
 * `path NUL count`. Anything else is a message and is skipped. All records of one file are consecutive. A path with
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

    const line = numberAt(record, start.length);
    const mark = record.charAt(line.end);
    if (Number.isNaN(line.number) || (mark !== ':' && mark !== '-' && mark !== '' && mark !== '\r')) return;
    const kind = mark === '-' ? '-' : ':';
    const column = mark === ':' ? numberAt(record, line.end + 1) : { number: 0, end: line.end };
    const isCount = mark === '' || mark === '\r';
    const offset = isCount ? column : numberAt(record, column.end + 1);
    if (!isCount && (Number.isNaN(offset.number) || record.charAt(offset.end) !== mark)) return;
    if (!onLine(kind)) return;
    const text = record.slice(offset.end + 1).replace(/\r$/, '');
    onHit({ line: line.number, column: column.number, offset: offset.number, mark: kind, text });
  };
}

/** The digits from there on; NaN if there are none. */
function numberAt(record: string, from: number): { number: number; end: number } {
  let end = from;
  while (isDigit(record.charCodeAt(end))) end++;
  return { number: end === from ? Number.NaN : Number(record.slice(from, end)), end };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
