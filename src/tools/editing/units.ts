import { decodeText, type Encoding, encodePart, markLength } from '../../lib/text/text-encoding.ts';

/*
 * A file's body as units: a string with one character per byte, or per pair of bytes in UTF-16. ASCII looks
 * the same in units as in the text, so lines and whitespace can be found; and unchanged parts are written
 * back byte for byte, whether or not they could be decoded.
 */

/** Without the byte order mark. */
export function toUnits(bytes: Uint8Array, encoding: Encoding): string {
  const mark = markLength(encoding);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + mark, bytes.byteLength - mark);
  return isWide(encoding) ? decodeText(bytes, encoding) : body.toString('latin1');
}

/** With the byte order mark of the original file. */
export function fromUnits(units: string, encoding: Encoding, file: Uint8Array): Uint8Array {
  const mark = file.subarray(0, markLength(encoding));
  const body = isWide(encoding) ? encodePart(units, encoding) : Buffer.from(units, 'latin1');
  return Buffer.concat([mark, body ?? new Uint8Array()]);
}

/** A text as units of such a file. Null if a character cannot be encoded. */
export function unitsOf(text: string, encoding: Encoding): string | null {
  if (isWide(encoding)) return text;
  const bytes = encodePart(text, encoding);
  return bytes && Buffer.from(bytes).toString('latin1');
}

export function textOfUnits(units: string, encoding: Encoding): string {
  if (isWide(encoding)) return units;
  return decodeText(Buffer.from(units, 'latin1'), encoding === 'windows-1252' ? encoding : 'utf-8');
}

function isWide(encoding: Encoding): boolean {
  return encoding === 'utf-16le' || encoding === 'utf-16be';
}
