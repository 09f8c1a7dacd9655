import { documentOf } from './documents.ts';
import type { SyntaxNode } from './grammar.ts';
import type { Redirect, Word, WordReader } from './shell-line.ts';
import { plainWord, readExpanding, readWords } from './word.ts';

/** The parts of a redirect; `later` are the commands that the grammar put into a here-document's line. */
type Redirected = { redirects: Redirect[]; words: Word[]; later: SyntaxNode[] };

export const WORDS =
  /^(word|number|string|raw_string|ansi_c_string|translated_string|concatenation|simple_expansion|expansion|arithmetic_expansion|command_substitution|process_substitution|brace_expression|\$)$/;

/** If one of these is in the place of a program, the grammar has misparsed the line. */
export const RESERVED =
  /^(!|[{}]|if|then|elif|else|fi|for|while|until|do|done|case|esac|in|function|select|\[\[|\]\])$/;

/** Parts of words and statements that contain no command themselves. */
export function isPiece(type: string): boolean {
  return /expression|^(variable_name|subscript|array|regex|extglob_pattern|command_name|file_descriptor|test_operator|heredoc_\w+|special_variable_name)$|redirect$/.test(
    type,
  );
}

/** The grammar adds words after a redirect's target to the redirect; for the shell they are arguments. */
export function readRedirect(node: SyntaxNode, reader: WordReader): Redirected {
  if (node.type === 'heredoc_redirect') return readHeredoc(node, reader);
  const fd = node.children.find(({ type }) => type === 'file_descriptor');
  const operator = node.children.find(({ named }) => !named);
  const [target, ...words] = node.children
    .filter((child) => WORDS.test(child.type))
    .flatMap((n) => readWords(n, reader));
  if (!/^(file_redirect|herestring_redirect)$/.test(node.type) || operator === undefined) {
    reader.doubts.add('unparsed');
  }
  const before = reader.text[node.start - 1] ?? ' ';
  if (target === undefined) reader.doubts.add('redirect_without_target');
  // `{fd}>x` opens a file under a variable name.
  if (before === '}' || words.some(({ raw }) => /^\{\w+\}$/.test(raw)))
    reader.doubts.add('unparsed_redirect');
  const document = documentOf(target?.raw ?? '', reader.documents);
  if (document !== undefined) {
    const { op, delimiter, opener, body } = document;
    const word = { ...plainWord(delimiter), raw: opener.slice(op.length).trim() };
    return { redirects: [{ op, fd: '', target: word, body }], words, later: [] };
  }
  const op = operator?.type ?? '';
  const redirect = { op, fd: fd === undefined ? '' : sliceOf(reader, fd), target: target ?? plainWord('') };
  return { redirects: [redirect], words, later: [] };
}

function readHeredoc(node: SyntaxNode, reader: WordReader): Redirected {
  const start = node.children.find(({ type }) => type === 'heredoc_start');
  const body = node.children.find(({ type }) => type === 'heredoc_body');
  const end = node.children.find(({ type }) => type === 'heredoc_end');
  const op = node.children.find(({ type }) => /^<<-?$/.test(type))?.type ?? '<<';
  if (!start || !end || end.start === end.end) reader.doubts.add('open_heredoc');
  const raw = start === undefined ? '' : sliceOf(reader, start);
  const delimiter = raw.replaceAll(/['"\\]/g, '');
  const read = body === undefined ? '' : sliceOf(reader, body);
  const written = bodyOf(reader.text.slice(start?.end ?? 0), { delimiter, op });
  if (read !== written) reader.doubts.add('unparsed_heredoc');
  const expands = raw === delimiter && body !== undefined;
  const target = { ...(expands ? readExpanding(body, reader) : plainWord(delimiter)), text: delimiter, raw };
  const found: Redirected = {
    redirects: [{ op, fd: '', target, body: written }],
    words: [],
    later: [],
  };
  for (const child of node.children) {
    if (/^(file|herestring)_redirect$/.test(child.type)) {
      const more = readRedirect(child, reader);
      found.redirects.push(...more.redirects);
      found.words.push(...more.words);
    } else if (WORDS.test(child.type)) found.words.push(...readWords(child, reader));
    else if (child.named && !/^(heredoc_\w+|file_descriptor|comment)$/.test(child.type))
      found.later.push(child);
  }
  if (found.later.some(({ type }) => type !== 'pipeline')) reader.doubts.add('unparsed_heredoc');
  return found;
}

/** The lines of a here-document, as the shell finds them: from the next line up to the delimiter. */
function bodyOf(text: string, { delimiter, op }: { delimiter: string; op: string }): string {
  const lines = text.slice(text.indexOf('\n') + 1).split('\n');
  const last = lines.findIndex((line) => (op === '<<-' ? line.replace(/^\t+/, '') : line) === delimiter);
  return lines
    .slice(0, last === -1 ? lines.length : last)
    .map((line) => `${line}\n`)
    .join('');
}

function sliceOf(reader: WordReader, { start, end }: SyntaxNode): string {
  return reader.text.slice(start, end);
}

/** As written. */
export function sourceOf({ fd, op, target }: Redirect): string {
  return `${fd}${op}${target.raw}`;
}
