import type { HereDocument, Quotes } from './quotes.ts';

/** Stand for here-documents: the grammar reads a file there, whatever follows the opener or begins the body. */
const FIRST = 0xe100;
const MARK = /<([\ue100-\ue1ff])\1*/g;
const ANY_MARK = /[\ue100-\ue1ff]/;

/** A text of the same length without its plain here-documents. */
export function withoutDocuments(
  text: string,
  quotes: Quotes | null,
): { text: string; documents: readonly HereDocument[] } {
  const found = quotes?.documents ?? [];
  if (found.length === 0 || found.length > 0xff || ANY_MARK.test(text)) return { text, documents: [] };
  let left = text;
  for (const [i, { at, opener, bodyAt, end }] of found.entries()) {
    const mark = `<${String.fromCharCode(FIRST + i).repeat(opener.length - 1)}`;
    const before = left.slice(0, at) + mark + left.slice(at + opener.length, bodyAt);
    left = before + ' '.repeat(end - bodyAt) + left.slice(end);
  }
  return { text: left, documents: found };
}

/** The here-document that a redirect stands for; undefined for any other. */
export function documentOf(raw: string, documents: readonly HereDocument[]): HereDocument | undefined {
  return ANY_MARK.test(raw) ? documents[raw.charCodeAt(0) - FIRST] : undefined;
}

/** The text as it was written. */
export function asWritten(text: string, documents: readonly HereDocument[]): string {
  if (documents.length === 0) return text;
  return text.replaceAll(MARK, (mark, first: string) => documentOf(first, documents)?.opener ?? mark);
}
