/**
 * One word as the shell would hand it to a program. `text` has its quotes removed and keeps expansions as they
 * were written; `literal` means that what stands in `text` is what the program receives, file name patterns
 * (`glob`) aside. `scripts` are the command lines of the substitutions inside.
 */
export type Word = { text: string; raw: string; literal: boolean; glob: boolean; scripts: string[] };

/** `depth` bounds recursion: a hostile line must not exhaust the stack. */
export type Scanner = { text: string; at: number; depth: number; doubts: Set<string> };

const MAX_DEPTH = 20;
const ANSI_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([\s\S]))/g;
const ANSI_NAMES: Record<string, string> = { n: '\n', t: '\t', r: '\r', e: '\x1b', a: '\x07', b: '\b' };

/** The word that begins here; empty before a blank or an operator. */
export function readWord(s: Scanner): Word {
  const start = s.at;
  const word: Word = { text: '', raw: '', literal: true, glob: false, scripts: [] };
  while (s.at < s.text.length) {
    const c = s.text[s.at] ?? '';
    if (/[<>]/.test(c) && s.text[s.at + 1] === '(') {
      word.literal = false;
      s.at += 2;
      readParens(s, word);
    } else if (/[ \t\n;&|<>()]/.test(c)) break;
    else readPiece(s, word, start);
  }
  word.raw = s.text.slice(start, s.at);
  if (mayExpandBraces(word.raw)) word.literal = false;
  return word;
}

function mayExpandBraces(raw: string): boolean {
  const open = raw.indexOf('{');
  const inside = open === -1 ? '' : raw.slice(open, raw.lastIndexOf('}') + 1);
  return /,|\.\./.test(inside) && !/^(['"])[^'"\\]*\1$/.test(raw);
}

function readPiece(s: Scanner, word: Word, start: number): void {
  const c = s.text[s.at] ?? '';
  if (c === '\\') readEscape(s, word);
  else if (c === "'") readSingle(s, word);
  else if (c === '"') {
    s.at += 1;
    readDouble(s, word);
  } else if (c === '$') readDollar(s, word);
  else if (c === '`') readBackticks(s, word);
  else {
    if (c === '~' && (s.at === start || /[=:]/.test(s.text[s.at - 1] ?? ''))) word.literal = false;
    if (/[*?[]/.test(c)) word.glob = true;
    word.text += c;
    s.at += 1;
  }
}

function readEscape(s: Scanner, word: Word): void {
  const next = s.text[s.at + 1];
  s.at += 2;
  if (next === undefined) s.doubts.add('it ends in a backslash');
  else if (next !== '\n') word.text += next;
  // The shell joins the lines before it reads: `$` at the end of one and a name on the next is a variable.
  else word.literal = false;
}

function readSingle(s: Scanner, word: Word): void {
  const end = s.text.indexOf("'", s.at + 1);
  if (end === -1) s.doubts.add('a quote is not closed');
  word.text += s.text.slice(s.at + 1, end === -1 ? s.text.length : end);
  s.at = end === -1 ? s.text.length : end + 1;
}

/** Stands behind the opening quote. */
function readDouble(s: Scanner, word: Word): void {
  while (s.at < s.text.length) {
    const c = s.text[s.at] ?? '';
    if (c === '"') {
      s.at += 1;
      return;
    }
    if (c === '\\' && /[$`"\\\n]/.test(s.text[s.at + 1] ?? '')) readEscape(s, word);
    else if (c === '$' && s.text[s.at + 1] !== "'" && s.text[s.at + 1] !== '"') readDollar(s, word);
    else if (c === '`') readBackticks(s, word);
    else {
      word.text += c;
      s.at += 1;
    }
  }
  s.doubts.add('a quote is not closed');
}

function readDollar(s: Scanner, word: Word): void {
  const next = s.text[s.at + 1] ?? '';
  const name = /^\$([A-Za-z_]\w*|[0-9@*#?$!-])/.exec(s.text.slice(s.at, s.at + 256))?.[0];
  if (next !== '"' && next !== "'" && name === undefined && !/[({[]/.test(next)) {
    word.text += '$';
    s.at += 1;
    return;
  }
  word.literal = false;
  if (name !== undefined) {
    word.text += name;
    s.at += name.length;
  } else if (next === "'") readAnsi(s, word);
  else if (next === '"') {
    s.at += 2;
    readDouble(s, word);
  } else if (next === '(') {
    s.at += 2;
    readParens(s, word);
  } else readBraces(s, word);
}

/** Stands behind the opening parenthesis of a substitution. */
function readParens(s: Scanner, word: Word): void {
  const start = s.at;
  skipTo(s, { open: '(', close: ')' });
  const script = s.text.slice(start, s.at - 1);
  word.scripts.push(script);
  word.text += `$(${script})`;
}

/** A parameter with a default may hold substitutions of its own. */
function readBraces(s: Scanner, word: Word): void {
  const start = s.at;
  const open = s.text[s.at + 1] ?? '{';
  s.at += 2;
  skipTo(s, { open, close: open === '{' ? '}' : ']' });
  const raw = s.text.slice(start, s.at);
  collectScripts(s, raw.slice(2, -1), word);
  word.text += raw;
}

/** The substitutions in a text that expands as if it stood in double quotes. */
export function collectScripts(s: Scanner, text: string, word: Word): void {
  if (s.depth >= MAX_DEPTH) {
    s.doubts.add('it is nested too deeply to judge');
    return;
  }
  const inside: Scanner = { text: `${text}"`, at: 0, depth: s.depth + 1, doubts: s.doubts };
  const found: Word = { text: '', raw: '', literal: true, glob: false, scripts: [] };
  while (inside.at < inside.text.length) readDouble(inside, found);
  word.literal &&= found.literal;
  word.scripts.push(...found.scripts);
}

/** Behind the bracket that closes what was opened before; quotes and escapes do not count. */
function skipTo(s: Scanner, brackets: { open: string; close: string }): void {
  if (s.depth >= MAX_DEPTH) s.at = s.text.length;
  s.depth += 1;
  skipBalanced(s, brackets);
  s.depth -= 1;
}

function skipBalanced(s: Scanner, { open, close }: { open: string; close: string }): void {
  const blind: Word = { text: '', raw: '', literal: true, glob: false, scripts: [] };
  for (let depth = 1; s.at < s.text.length; ) {
    const c = s.text[s.at] ?? '';
    if (c === open) depth += 1;
    if (c === close) depth -= 1;
    if (c === '\\') s.at += 2;
    else if (c === "'") readSingle(s, blind);
    else if (c === '"') {
      s.at += 1;
      skipDouble(s);
    } else s.at += 1;
    if (depth === 0) return;
  }
  s.at = s.text.length + 1;
  s.doubts.add('a bracket is not closed');
}

/** The nested substitutions of a quoted string are read later, with the script that holds it. */
function skipDouble(s: Scanner): void {
  while (s.at < s.text.length && s.text[s.at] !== '"') {
    if (s.text.startsWith('$(', s.at)) {
      s.at += 2;
      skipTo(s, { open: '(', close: ')' });
    } else s.at += s.text[s.at] === '\\' ? 2 : 1;
  }
  s.at += 1;
}

function readBackticks(s: Scanner, word: Word): void {
  const start = s.at + 1;
  s.at = start;
  while (s.at < s.text.length && s.text[s.at] !== '`') s.at += s.text[s.at] === '\\' ? 2 : 1;
  if (s.at >= s.text.length) s.doubts.add('a backtick is not closed');
  const script = s.text.slice(start, s.at).replace(/\\([$`\\])/g, '$1');
  word.literal = false;
  word.scripts.push(script);
  word.text += `$(${script})`;
  s.at += 1;
}

function readAnsi(s: Scanner, word: Word): void {
  const body = /^(?:[^'\\]|\\[\s\S])*/.exec(s.text.slice(s.at + 2))?.[0] ?? '';
  word.text += body.replace(ANSI_ESCAPE, (_, hex, unicode, octal, other: string | undefined) => {
    const code = hex ?? unicode;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    return ANSI_NAMES[other ?? ''] ?? other ?? '';
  });
  s.at += 2 + body.length + 1;
  if (s.at > s.text.length) s.doubts.add('a quote is not closed');
}
