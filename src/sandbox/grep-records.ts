/** A line of a file, `:` for one that matches and `-` for one of its neighbours; or a count in place of `line`. */
export type GrepHit = { line: number; mark: ':' | '-'; text: string };

export type GrepListener = {
  /** Told once for a run of records of one file; false when they are of no interest. */
  onFile(file: string): boolean;
  /** Told of every hit; only where it answers yes is the hit put together: most of a flood is counted and no more. */
  onLine(): boolean;
  onHit(hit: GrepHit): void;
};

/**
 * Reads ripgrep's records: `path NUL line : text`, with `-` for a line of context, or `path NUL count`. Anything
 * else is a remark and is passed over. All records of one file come in a row.
 */
export function grepReader({ onFile, onLine, onHit }: GrepListener): (record: string) => void {
  let start = '';
  let wanted = false;

  return (record) => {
    if (start === '' || !record.startsWith(start)) {
      const end = record.indexOf('\0');
      if (end === -1) return;
      start = record.slice(0, end + 1);
      wanted = onFile(record.slice(0, end));
    }
    if (!wanted) return;

    let at = start.length;
    while (isDigit(record.charCodeAt(at))) at++;
    const mark = record.charAt(at);
    if (at === start.length || (mark !== ':' && mark !== '-' && mark !== '' && mark !== '\r')) return;
    if (!onLine()) return;
    onHit({
      line: Number(record.slice(start.length, at)),
      mark: mark === '-' ? '-' : ':',
      text: record.slice(at + 1).replace(/\r$/, ''),
    });
  };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
