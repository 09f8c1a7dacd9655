/** Lines that form one value in pieces, and the joined value. */
export type Run = { start: number; end: number; joined: string };

/** A fold ends with its first shorter line. */
type Open = Run & { kind: Line['kind']; lines: number; width: number; ended: boolean };

type Line = { kind: 'folded' | 'spaced' | 'dump'; joined: string };

/** Base64 or hex as folded by `base64`, `openssl` and `xxd -p`. The last line of a fold may be short. */
const FOLDED = /^[\w+/-]{40,}={0,2}$/;
const FOLD_END = /^[\w+/-]+={0,2}$/;
/** A few bytes at a time separated by spaces, as in `od -An -tx1`. */
const SPACED = /^(?:(?:[\da-f]{2}){1,4}[ \t]+)*(?:[\da-f]{2}){1,4}$/i;
/** `xxd`, `hexdump -C`, `od -tx1`: an address, bytes, often the same as text. */
const DUMP = /^[\da-f]{6,16}:?[ \t]+((?:(?:[\da-f]{2}){1,4}[ \t]{0,2}){1,16})(?:[ \t|>].*)?$/i;
/** Line numbers of Read and grep. */
const NUMBER = /^\d{1,7}[\t:-]/;

const LONGEST_LINE = 400;

/** Where a value may be split into pieces that no literal matches. */
export function encodedRuns(text: string): Run[] {
  const runs: Run[] = [];
  let open: Open | undefined;
  const close = () => {
    // A single line is not a fold.
    if (open && (open.kind !== 'folded' || open.lines > 1)) runs.push(open);
    open = undefined;
  };
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const line = mayBelong(text, start, end) ? readLine(text.slice(start, end), open?.kind) : null;
    if (line === null || (open && (open.kind !== line.kind || open.ended))) close();
    if (line && open) {
      open.end = end;
      open.joined += line.joined;
      open.lines += 1;
      open.ended = line.kind === 'folded' && line.joined.length < open.width;
    } else if (line) open = { start, end, lines: 1, width: line.joined.length, ended: false, ...line };
    start = end + 1;
  }
  close();
  return runs.map(({ start, end, joined }) => ({ start, end, joined }));
}

/** Cheap, because it is called for every line. */
function mayBelong(text: string, start: number, end: number): boolean {
  if (end === start || end - start > LONGEST_LINE) return false;
  const last = text.charCodeAt(end - 1);
  return isWordCode(last) || last === 61 || last === 13 || last === 32 || isHexCode(text.charCodeAt(start));
}

function isWordCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 43 ||
    code === 47
  );
}

function isHexCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
}

function readLine(whole: string, open: Line['kind'] | undefined): Line | null {
  const line = whole.replace(NUMBER, '').trim();
  if (FOLDED.test(line) || (open === 'folded' && FOLD_END.test(line)))
    return { kind: 'folded', joined: line.replace(/=+$/, '') };
  if (/^[\da-f]{2}/i.test(line)) {
    if (SPACED.test(line)) return { kind: 'spaced', joined: line.replaceAll(/\s+/g, '').toLowerCase() };
    const bytes = DUMP.exec(line)?.[1];
    if (bytes !== undefined) return { kind: 'dump', joined: bytes.replaceAll(/\s+/g, '').toLowerCase() };
  }
  return null;
}
