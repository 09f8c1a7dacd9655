import { isUtf8 } from 'node:buffer';
import { decodeText } from '../../lib/text/text-encoding.ts';

export type MediaKind = 'html' | 'text' | 'unknown' | 'other';

const TEXTUAL =
  /^(text\/.+|(application|image|model)\/(.+\+)?(json|xml|yaml)|message\/.+|application\/((x-)?(ndjson|yaml|javascript|ecmascript|sh|tex|latex)|json5|jsonl|toml|typescript|graphql|sql|rtf))$/;

/** How many bytes of a page are searched for its encoding declaration. */
const PRESCAN_BYTES = 4096;

/** The type alone, in lower case and without parameters; empty if the server sent none. */
export function mediaTypeOf(header: string | null): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export function kindOf(mediaType: string): MediaKind {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (TEXTUAL.test(mediaType)) return 'text';
  return mediaType === '' || mediaType === 'application/octet-stream' ? 'unknown' : 'other';
}

/** The type of bytes without a declared type. */
export function sniff(bytes: Uint8Array): 'html' | 'text' | 'other' {
  if (markedEncoding(bytes) === null && (bytes.includes(0) || !isUtf8(bytes))) return 'other';
  return /^\s*<(!doctype html|html|head|body)\b/i.test(asLatin1(bytes.subarray(0, PRESCAN_BYTES)))
    ? 'html'
    : 'text';
}

/**
 * The text of a page. A byte order mark takes precedence over the server's header, that over the page's own
 * declaration; without any, it is UTF-8 if valid.
 */
export function decodePage(bytes: Uint8Array, contentType: string | null): string {
  const label = markedEncoding(bytes) ?? charsetIn(contentType) ?? charsetWithin(bytes);
  const decoder = decoderOf(label) ?? new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  // Some runtimes decode windows-1252 as Latin-1 and lose its quotation marks.
  return decoder.encoding === 'windows-1252' ? decodeText(bytes, 'windows-1252') : decoder.decode(bytes);
}

function markedEncoding(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : null;
}

function charsetIn(contentType: string | null): string | null {
  return contentType?.match(/;\s*charset\s*=\s*["']?\s*([^\s"';]+)/i)?.[1] ?? null;
}

/**
 * The encoding declared in an HTML or XML page. The declaration was read as ASCII, so it cannot really be
 * UTF-16.
 */
function charsetWithin(bytes: Uint8Array): string | null {
  const start = asLatin1(bytes.subarray(0, PRESCAN_BYTES)).replaceAll(/<!--[\s\S]*?-->/g, '');
  const label =
    start.match(/^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i)?.[1] ??
    start.match(/<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i)?.[1] ??
    null;
  return label !== null && /^(utf-?16|ucs-?2|unicode)/i.test(label) ? 'utf-8' : label;
}

/** Null for a name without a decoder here. */
function decoderOf(label: string | null): TextDecoder | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
