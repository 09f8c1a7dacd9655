/** A here-document whose body is plain text; `opener` is its operator and delimiter as written. */
export type HereDocument = { opener: string; op: '<<' | '<<-'; delimiter: string; body: string };

/**
 * What each character of a line stands in: `.` nothing, `'` and `"` quotes, `\` an escape, `#` a comment, `D` a
 * here-document.
 */
export type Quotes = {
  marks: string;
  documents: (HereDocument & { at: number; bodyAt: number; end: number })[];
};

/** Nests quotes in quotes; `((` may hold a shift that looks like a here-document. */
const NESTS = /^(`|\$[({'"]|\(\(|[<>]\()/;
const OPENER = /^(<<-?)[ \t]*(?:'(\w+)'|"(\w+)"|\\?(\w+))/;

/** The quotes of a text; null where a simple reading does not tell. */
export function quotesOf(text: string): Quotes | null {
  const marks: string[] = [];
  const documents: Quotes['documents'] = [];
  const waiting: { opener: string; op: '<<' | '<<-'; delimiter: string; at: number; isQuoted: boolean }[] =
    [];
  let quote = '.';
  const mark = (count: number, as: string) => marks.push(as.repeat(count));
  for (let at = 0; at < text.length; ) {
    const c = text[at] ?? '';
    const rest = text.slice(at, at + 80);
    if (quote !== "'" && NESTS.test(rest)) return null;
    if (quote === "'" || (quote === '"' && c !== '\\')) {
      mark(1, quote);
      if (c === quote) quote = '.';
      at += 1;
    } else if (c === '\\') {
      // A body begins after the line of its opener, which continues here.
      if (text[at + 1] === '\n' && waiting.length > 0) return null;
      mark(Math.min(2, text.length - at), quote === '"' ? '"' : '\\');
      at += 2;
    } else if (c === "'" || c === '"') {
      quote = c;
      mark(1, c);
      at += 1;
    } else if (c === '#' && /^$|[\s;&|()]/.test(text[at - 1] ?? '')) {
      const end = text.indexOf('\n', at);
      mark((end === -1 ? text.length : end) - at, '#');
      at = end === -1 ? text.length : end;
    } else if (rest.startsWith('<<<')) {
      mark(3, '.');
      at += 3;
    } else if (rest.startsWith('<<')) {
      const [opener = '', op, single, double, bare] = OPENER.exec(rest) ?? [];
      const after = text[at + opener.length] ?? '\n';
      if (op === undefined || /\d/.test(text[at - 1] ?? '') || !/[\s;&|<>()]/.test(after)) return null;
      const isQuoted = bare === undefined || opener.includes('\\');
      waiting.push({
        opener,
        op: op === '<<-' ? '<<-' : '<<',
        delimiter: single ?? double ?? bare ?? '',
        at,
        isQuoted,
      });
      mark(opener.length, '.');
      at += opener.length;
    } else if (c === '\n' && waiting.length > 0) {
      for (const { isQuoted, ...one } of waiting.splice(0)) {
        mark(1, '.');
        at += 1;
        const end = endOf(text, at, one);
        if (end === null) return null;
        const body = text.slice(at, end.body);
        // A body that expands contains words of the line.
        if (isQuoted || !/[$`\\]/.test(body)) documents.push({ ...one, body, bodyAt: at, end: end.all });
        mark(end.all - at, 'D');
        at = end.all;
      }
    } else {
      mark(1, '.');
      at += 1;
    }
  }
  return quote === '.' && waiting.length === 0 ? { marks: marks.join(''), documents } : null;
}

/** Where a body ends, and where the line of its delimiter does. */
function endOf(
  text: string,
  from: number,
  { op, delimiter }: Pick<HereDocument, 'op' | 'delimiter'>,
): { body: number; all: number } | null {
  for (let at = from; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    const line = text.slice(at, end);
    if ((op === '<<-' ? line.replace(/^\t+/, '') : line) === delimiter) return { body: at, all: end };
    at = end + 1;
  }
  return null;
}
