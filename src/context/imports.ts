import path from 'node:path';
import { atPaths } from '../lib/text/at-paths.ts';

/** Whose file it is: those of the user may import any file that the rules do not close. */
export type Owner = 'user' | 'project';

/** `real` is where the path leads. */
export type ReadFile =
  | { type: 'text'; text: string; real: string }
  | { type: 'refused'; because: string }
  | { type: 'missing' };

/** Reads through the guard, on behalf of a file of this owner. */
export type ReadText = (file: string, owner: Owner) => Promise<ReadFile>;

/** What the files of a session have in common, so that each is sent once. */
export type Sent = {
  /** Real paths of files that are sent by themselves or were imported. */
  files: Set<string>;
  /** Texts of files, trimmed. */
  texts: Set<string>;
};

const MAX_DEPTH = 5;
/** In all files together: a few that import each other many times would never end. */
const MAX_IMPORTS = 100;
/** In characters; longer texts are cut anyway. */
const MAX_TEXT = 64 * 1024;

type Importing = {
  read: ReadText;
  home: string;
  sent: Sent;
  notices: string[];
  /** Counts imports over all files. */
  met: { imports: number };
};

type File = { file: string; real: string; text: string; owner: Owner };

/** `isOnlyImports`: nothing is left in it but imports of files that are sent anyway. */
type Expanded = { text: string; isOnlyImports: boolean };

/** Resolves the imports of files, and counts them. */
export function createImports(importing: Omit<Importing, 'met'>) {
  const met = { imports: 0 };
  return {
    expand: (file: File) => expand(file, { ...importing, met }, []),
    /** Reports imports over the limit. */
    finish() {
      if (met.imports > MAX_IMPORTS)
        importing.notices.push(
          `The instructions have more than ${MAX_IMPORTS} imports; only the first ${MAX_IMPORTS} are used.`,
        );
    },
  };
}

async function expand(file: File, importing: Importing, above: readonly string[]): Promise<Expanded> {
  const { met, notices } = importing;
  let text = '';
  let isOnlyImports = true;
  for (const piece of splitImports(file.text)) {
    if (piece.type === 'text') {
      text += piece.text;
      isOnlyImports &&= piece.text.trim() === '';
      continue;
    }
    met.imports += 1;
    const isOver = met.imports > MAX_IMPORTS || text.length > MAX_TEXT;
    const found = isOver ? null : await imported(piece, file, { ...importing, above: [...above, file.real] });
    if (typeof found === 'string') notices.push(`Skipped ${piece.file}, imported by ${file.file}: ${found}.`);
    const inner = found !== null && typeof found === 'object' && !('sent' in found) ? found : null;
    text += inner?.text.trimEnd() ?? piece.written;
    isOnlyImports &&= found !== null && typeof found === 'object' && 'sent' in found;
  }
  return { text, isOnlyImports };
}

/** The text of an import; a message if it is refused; null if it is not an import. */
async function imported(
  piece: Import,
  from: File,
  { above, ...importing }: Importing & { above: readonly string[] },
): Promise<Expanded | { sent: true } | string | null> {
  const { home, sent } = importing;
  const file = /^~(?=[/\\]|$)/.test(piece.file)
    ? path.join(home, piece.file.slice(1))
    : path.resolve(path.dirname(from.file), piece.file);
  const read = await importing.read(file, from.owner);
  if (read.type === 'missing') return piece.isFile ? 'there is no such file' : null;
  if (read.type === 'refused') return read.because;
  if (above.includes(read.real)) return 'it imports itself';
  if (sent.files.has(read.real)) return { sent: true };
  if (above.length > MAX_DEPTH) return `imports are nested more than ${MAX_DEPTH} deep`;
  sent.files.add(read.real);
  return expand({ ...read, file, owner: from.owner }, importing, above);
}

type Import = { type: 'import'; file: string; written: string; isFile: boolean };
type Piece = { type: 'text'; text: string } | Import;

/** `@path` outside code. */
export function splitImports(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { at, written, path: file, isFile } of atPaths(text)) {
    pieces.push({ type: 'text', text: text.slice(end, at) }, { type: 'import', file, written, isFile });
    end = at + written.length;
  }
  pieces.push({ type: 'text', text: text.slice(end) });
  return pieces.filter((piece) => piece.type === 'import' || piece.text !== '');
}
