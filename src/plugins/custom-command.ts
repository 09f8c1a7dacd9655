import { listField, parseFrontMatter, textField } from '../lib/text/front-matter.ts';

/** A slash command written as a Markdown file. */
export type CustomCommand = {
  name: string;
  description: string;
  /** Where it comes from. */
  source: 'user' | 'project';
  file: string;
  body: string;
  /** Answers this prompt instead of the current model. */
  model?: string;
  /** The only tools it may use. */
  tools?: readonly string[];
};

const DESCRIPTION = 120;

/**
 * `path` is relative to the commands folder: `git/fix.md` is the command `git:fix`. Null if that is not a
 * valid name.
 */
export function parseCommand(
  file: { path: string; file: string; text: string },
  source: CustomCommand['source'],
): CustomCommand | null {
  const name = file.path.replace(/\.md$/i, '').replaceAll('/', ':').toLowerCase();
  if (!/^[a-z][\w-]*(:[\w.:-]+)?$/.test(name)) return null;
  const parsed = parseFrontMatter(file.text);
  const body = parsed.body.trim();
  const [first = ''] = body.split('\n');
  const words = textField(parsed, 'description') ?? first.replace(/^#+\s*/, '');
  const hint = textField(parsed, 'argument-hint');
  const description = [cut(words), hint, `(${source})`].filter(Boolean).join(' ');
  const model = textField(parsed, 'model');
  const tools = listField(parsed, 'tools');
  return {
    name,
    description,
    source,
    file: file.file,
    body,
    ...(model && { model }),
    ...(tools && { tools }),
  };
}

export type ExpandDeps = {
  /** Judged, and run in the sandbox; returns the output. Throws if it may not run. */
  run(command: string): Promise<string>;
  /** A file as the model would read it; null if there is none. */
  read(file: string): Promise<string | null>;
};

/**
 * The prompt of a command. `$ARGUMENTS` is everything typed after its name, `$1` its first word; a command in
 * `` !`…` ``, or on a line that starts with `!`, is replaced by its output; files named by `@path` are
 * appended.
 */
export async function expandCommand(body: string, typed: string, deps: ExpandDeps): Promise<string> {
  const words = splitWords(typed);
  let text = '';
  const files = new Set<string>();
  let usesArguments = false;
  for (const piece of piecesOf(body)) {
    usesArguments ||= ARGUMENT.test(piece.text);
    if (piece.type === 'command') {
      text += await deps.run(
        fill(piece.text, { all: words.map(quoted).join(' '), words: words.map(quoted) }),
      );
      continue;
    }
    const filled = fill(piece.text, { all: typed, words });
    if (piece.type === 'text') for (const file of filesNamed(filled)) files.add(file);
    text += filled;
  }
  if (!usesArguments && typed !== '') text += `\n\n${typed}`;
  const blocks: string[] = [];
  for (const file of files) {
    const content = await deps.read(file);
    if (content !== null) blocks.push(`<file path="${file}">\n${content}\n</file>`);
  }
  return [text.trim(), ...blocks].join('\n\n');
}

const ARGUMENT = /\$(?:ARGUMENTS\b|[1-9]\b)/;

function fill(text: string, { all, words }: { all: string; words: readonly string[] }): string {
  return text.replaceAll(
    /\$(?:(ARGUMENTS)\b|([1-9])(?!\d))/g,
    (_, whole: string | undefined, number: string) => (whole ? all : (words[Number(number) - 1] ?? '')),
  );
}

type Piece = { type: 'text' | 'code' | 'command'; text: string };

/** Code blocks are kept unchanged. */
function* piecesOf(body: string): Generator<Piece> {
  const marks = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))|!`([^`\n]+)`|^!(\w[^\n]*)$/gm;
  let at = 0;
  for (const match of body.matchAll(marks)) {
    const [whole, fence, inline, line] = match;
    if (match.index > at) yield { type: 'text', text: body.slice(at, match.index) };
    if (fence !== undefined) yield { type: 'code', text: whole };
    else yield { type: 'command', text: (inline ?? line ?? '').trim() };
    at = match.index + whole.length;
  }
  if (at < body.length) yield { type: 'text', text: body.slice(at) };
}

function filesNamed(text: string): string[] {
  return [...text.matchAll(/(?<=^|[\s("'])@([\w~./][\w~./-]*[\w/]|\w)/gm)].map(([, file = '']) => file);
}

/** Quotes keep words together, as in a shell. */
export function splitWords(typed: string): string[] {
  return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** Quoted so that it is exactly one word in a command, whether or not its author put it in quotes. */
export function quoted(word: string): string {
  return word.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/[^\p{L}\p{N}_./:@=+,%-]/gu, '\\$&');
}

function cut(text: string): string {
  return text.length > DESCRIPTION ? `${text.slice(0, DESCRIPTION)}…` : text;
}
