import { collectScripts, readWord, type Scanner, type Word } from './words.ts';

/** `body` is the text of a here-document. */
export type Redirect = { op: string; fd: string; target: Word; body?: string };

export type Separator = ';' | '&&' | '||' | '|' | '&';

export type Token =
  | { type: 'word'; word: Word }
  | { type: 'redirect'; redirect: Redirect }
  | { type: 'separator'; separator: Separator }
  | { type: 'paren'; paren: '(' | ')' };

/** `heredocs` wait for the end of their line. */
type LineScanner = Scanner & { heredocs: Redirect[] };

const SEPARATORS = ['&&', '||', '|&', ';;', ';', '|', '&'];
const REDIRECT = /(\d*)(&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)/y;

/** Whatever is not surely understood is said in `doubts`; the tokens are then a best guess. Never throws. */
export function tokenize(text: string): { tokens: Token[]; doubts: string[] } {
  const s: LineScanner = { text, at: 0, depth: 0, doubts: new Set(), heredocs: [] };
  if ([...text].some((c) => (c < ' ' && c !== '\n' && c !== '\t') || c === '\x7f')) {
    s.doubts.add('it contains control characters');
  }
  const tokens: Token[] = [];
  while (s.at < text.length) {
    const token = nextToken(s);
    if (token !== null) tokens.push(token);
  }
  if (s.heredocs.length > 0) s.doubts.add('a here-document does not end');
  return { tokens, doubts: [...s.doubts] };
}

function nextToken(s: LineScanner): Token | null {
  const c = s.text[s.at] ?? '';
  if (c === ' ' || c === '\t') {
    s.at += 1;
    return null;
  }
  if (s.text.startsWith('\\\n', s.at)) {
    s.at += 2;
    return null;
  }
  if (c === '\n') {
    s.at += 1;
    readHeredocs(s);
    return { type: 'separator', separator: ';' };
  }
  if (c === '#') {
    skipComment(s);
    return null;
  }
  const redirect = readRedirect(s);
  if (redirect !== null) return { type: 'redirect', redirect };
  if (c === '(' || c === ')') {
    s.at += 1;
    return { type: 'paren', paren: c };
  }
  const separator = SEPARATORS.find((op) => s.text.startsWith(op, s.at));
  if (separator !== undefined) {
    s.at += separator.length;
    return { type: 'separator', separator: plainSeparator(separator) };
  }
  return { type: 'word', word: readWord(s) };
}

/** Some shells read on where others see a comment, so it must not hold what could be another command. */
function skipComment(s: LineScanner): void {
  const end = s.text.indexOf('\n', s.at);
  const stop = end === -1 ? s.text.length : end;
  if (/[;&|<>()$`]/.test(s.text.slice(s.at, stop))) s.doubts.add('a comment looks like a command');
  s.at = stop;
}

function plainSeparator(op: string): Separator {
  if (op === '&&' || op === '||' || op === '|' || op === '&') return op;
  return op === '|&' ? '|' : ';';
}

function readRedirect(s: LineScanner): Redirect | null {
  REDIRECT.lastIndex = s.at;
  const found = REDIRECT.exec(s.text);
  const [whole, fd = '', op = ''] = found ?? [''];
  const isSubstitution = /^[<>]$/.test(op) && s.text[s.at + whole.length] === '(';
  if (found === null || isSubstitution) return null;

  s.at += whole.length;
  while (/[ \t]/.test(s.text[s.at] ?? '')) s.at += 1;
  const redirect: Redirect = { op, fd, target: readWord(s) };
  if (redirect.target.raw === '') s.doubts.add('a redirect leads nowhere');
  if (op === '<<' || op === '<<-') s.heredocs.push(redirect);
  return redirect;
}

function readHeredocs(s: LineScanner): void {
  for (const redirect of s.heredocs.splice(0)) {
    const lines: string[] = [];
    let closed = false;
    while (s.at < s.text.length && !closed) {
      const newline = s.text.indexOf('\n', s.at);
      const end = newline === -1 ? s.text.length : newline;
      const line = s.text.slice(s.at, end);
      s.at = Math.min(end + 1, s.text.length);
      closed = (redirect.op === '<<-' ? line.replace(/^\t+/, '') : line) === redirect.target.text;
      if (!closed) lines.push(line);
    }
    if (!closed) s.doubts.add('a here-document does not end');
    redirect.body = lines.join('\n');
    if (redirect.target.raw === redirect.target.text) {
      collectScripts(s, redirect.body, redirect.target);
    }
  }
}
