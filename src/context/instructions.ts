import path from 'node:path';
import { isInside } from '../lib/paths/inside.ts';

export type Instruction = { file: string; text: string };

/** Reads through the guard; null if there is nothing readable. */
export type ReadText = (file: string) => Promise<string | null>;

export type Found = { instructions: Instruction[]; notices: string[] };

/** File names in a project folder. */
const NAMES = ['AGENTS.md', 'CLAUDE.md', path.join('.ai-assistant', 'instructions.md')];
/** File names in the data root, which is itself the `.ai-assistant` folder. */
const OWN_NAMES = ['AGENTS.md', 'CLAUDE.md', 'instructions.md'];

const MAX_FILE = 32 * 1024;
const MAX_ALL = 64 * 1024;
const MAX_DEPTH = 5;
/** In all files together: a few that import each other many times would never end. */
const MAX_IMPORTS = 100;
/** A shorter excerpt of a long text is not worth including. */
const WORTH_KEEPING = 1024;

export type Places = { dataRoot: string; repository: string; cwd: string };

/**
 * The user's own first, then the repository root and each folder down to the working directory: later ones
 * take precedence.
 */
export async function findInstructions(
  { dataRoot, repository, cwd }: Places,
  read: ReadText,
): Promise<Found> {
  const files = [
    ...OWN_NAMES.map((name) => path.join(dataRoot, name)),
    ...foldersDown(repository, cwd).flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
  ];
  return loadAll(files, read);
}

/** The instructions of one folder. */
export function folderInstructions(folder: string, read: ReadText): Promise<Found> {
  return loadAll(
    NAMES.map((name) => path.join(folder, name)),
    read,
  );
}

/** From the outermost to the innermost, both included; only the inner one if it is not inside the outer. */
export function foldersDown(outer: string, inner: string): string[] {
  if (!isInside(outer, inner)) return [inner];
  const names = path.relative(outer, inner).split(path.sep).filter(Boolean);
  return [outer, ...names.map((_, i) => path.join(outer, ...names.slice(0, i + 1)))];
}

async function loadAll(files: readonly string[], read: ReadText): Promise<Found> {
  const notices: string[] = [];
  const found: Instruction[] = [];
  const met = { imports: 0 };
  for (const file of files) {
    const text = await withImports(file, { read, top: path.dirname(file), above: [], notices, met });
    // Many projects have the same text under two names; it counts once.
    if (text === null || text.trim() === '' || found.some((other) => other.text.trim() === text.trim()))
      continue;
    found.push({ file, text });
  }
  if (met.imports > MAX_IMPORTS)
    notices.push(
      `The instructions have more than ${MAX_IMPORTS} imports; only the first ${MAX_IMPORTS} are used.`,
    );
  return { instructions: bounded(found, notices), notices };
}

/** If the total is too large, the nearest are kept. */
function bounded(found: readonly Instruction[], notices: string[]): Instruction[] {
  const kept: Instruction[] = [];
  let room = MAX_ALL;
  for (const { file, text: whole } of [...found].reverse()) {
    const limit = Math.min(MAX_FILE, room);
    const text = Buffer.byteLength(whole) > limit && limit < WORTH_KEEPING ? '' : cutBytes(whole, limit);
    room -= Buffer.byteLength(text);
    if (text.length < whole.length)
      notices.push(
        `${file}: ${text === '' ? 'skipped' : `only the first ${limit / 1024} KB are used`}; the limits are ${MAX_FILE / 1024} KB per file and ${MAX_ALL / 1024} KB in total.`,
      );
    if (text !== '') kept.unshift({ file, text });
  }
  return kept;
}

type Importing = {
  read: ReadText;
  top: string;
  above: readonly string[];
  notices: string[];
  /** Counts imports over all files. */
  met: { imports: number };
};

/**
 * A file with its imports resolved. Imports are limited to its folder: a project must not import the user's
 * files.
 */
async function withImports(file: string, importing: Importing): Promise<string | null> {
  const { read, above, notices, met } = importing;
  const text = await read(file);
  if (text === null) return null;
  let whole = '';
  for (const piece of splitImports(text)) {
    if (piece.type === 'text') {
      whole += piece.text;
      continue;
    }
    met.imports += 1;
    if (met.imports > MAX_IMPORTS) {
      whole += piece.written;
      continue;
    }
    const target = path.resolve(path.dirname(file), piece.file);
    const refused = refusal(target, { ...importing, above: [...above, file] }, whole.length);
    const inner =
      refused === null ? await withImports(target, { ...importing, above: [...above, file] }) : null;
    if (refused !== null) notices.push(`Skipped ${piece.file}, imported by ${file}: ${refused}.`);
    whole += inner?.trimEnd() ?? piece.written;
  }
  return whole;
}

function refusal(target: string, { top, above }: Importing, length: number): string | null {
  if (above.length > MAX_DEPTH) return `imports are nested more than ${MAX_DEPTH} deep`;
  if (above.includes(target)) return 'it imports itself';
  if (!isInside(top, target)) return `it is outside ${top}`;
  return length > MAX_ALL ? 'the size limit is reached' : null;
}

type Piece = { type: 'text'; text: string } | { type: 'import'; file: string; written: string };

/** `@path` at the start of a line or after white space; in code it has another meaning. */
export function splitImports(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const code = codeSpans(text);
  let span = 0;
  for (const match of text.matchAll(/(?<=^|[ \t])@([\w./-]*\.[\w]+)(?=$|[\s,;:)]|\.(?:\s|$))/gm)) {
    const [written, file = ''] = match;
    // Both advance together: scanning all spans for each match would take minutes on a long file.
    while (span < code.length && (code[span]?.[1] ?? 0) <= match.index) span += 1;
    if ((code[span]?.[0] ?? Number.POSITIVE_INFINITY) <= match.index) continue;
    pieces.push({ type: 'text', text: text.slice(at, match.index) }, { type: 'import', file, written });
    at = match.index + written.length;
  }
  pieces.push({ type: 'text', text: text.slice(at) });
  return pieces.filter((piece) => piece.type === 'import' || piece.text !== '');
}

function codeSpans(text: string): [from: number, to: number][] {
  const blocks = text.matchAll(
    /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))|(`+)[^`\n][^\n]*?\2/gm,
  );
  return [...blocks].map((match) => [match.index, match.index + match[0].length]);
}

/** At most this many bytes, without splitting a character. */
function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}
