import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The size of a terminal's input buffer. */
const MOST_BYTES = 4096;
const TAB = 8;
/** From here on most characters are two columns wide. */
const FIRST_WIDE = '\u1100';

/** Text typed before the program read its input, and the sequence that erases its echo. */
export type TypedAhead = { typed: string; erase: string };

type Streams = {
  stdin: Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode'> & { fd?: number };
  stdout: { columns?: number };
};

/**
 * Takes over the keyboard: from here on nothing is echoed. Until now the terminal has echoed each key and
 * stored it as in line mode: Enter as a line feed.
 */
export function takeKeyboard({ stdin, stdout }: Streams): TypedAhead {
  if (!stdin.isTTY) return { typed: '', erase: '' };
  stdin.setRawMode(true);
  const waiting = stdin.fd === 0 ? readWaiting() : '';
  if (waiting === '') return { typed: '', erase: '' };
  return { typed: waiting.replaceAll('\n', '\r'), erase: echoErased(waiting, stdout.columns || 80) };
}

/** Everything available without waiting; empty if the process has no terminal. */
function readWaiting(): string {
  let file: number | undefined;
  try {
    file = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const bytes = Buffer.alloc(MOST_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Row by row from the cursor up: some terminals keep rows that are erased all at once. */
export function echoErased(typed: string, columns: number): string {
  const rows = typed.split('\n').reduce((sum, line) => sum + echoRows(line, columns), 0);
  return Array<string>(rows).fill('\r\u001b[K').join('\u001b[1A');
}

/** How many rows a line takes when control characters are echoed as ^X. */
function echoRows(line: string, columns: number): number {
  let rows = 1;
  let column = 0;
  const put = (width: number) => {
    if (column + width > columns) {
      rows += 1;
      column = 0;
    }
    column += width;
  };
  const echo = [...line].map((letter) => (letter < ' ' && letter !== '\t' ? '^X' : letter)).join('');
  for (const letter of echo) {
    if (letter === '\t') column = Math.max(column, Math.min(columns - 1, column + TAB - (column % TAB)));
    else put(letter < FIRST_WIDE ? 1 : 2);
  }
  return rows;
}
