import { isUtf8 } from 'node:buffer';

/** UTF-16 is the kind that begins with a byte order mark; without one it cannot be told from binary. */
export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'windows-1252';

const marks = {
  'utf-8': [],
  'utf-8-bom': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
  'windows-1252': [],
} satisfies Record<Encoding, number[]>;

/** How much of a file is looked at for NUL bytes. */
const NUL_REACH = 8192;
/** How much is judged of what is not plain UTF-8, from the first byte on that is not ASCII. */
const SAMPLE_BYTES = 256 * 1024;
/** One control character in so many bytes makes a file of no known encoding binary. */
const CONTROL_SHARE = 50;

/** What windows-1252 has in place of the control characters 0x80 to 0x9f; five of them stay what they are. */
const special = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** 1 for what text does not hold: control characters that neither lay out nor escape, and gaps in windows-1252. */
const neverInText = Uint8Array.from({ length: 256 }, (_, byte) => {
  const control = byte < 0x07 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f;
  return control || [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte) ? 1 : 0;
});

/**
 * The encoding of a whole file, or of a part of one that ends with a line. Null means binary. UTF-8 with some
 * broken bytes in it is UTF-8 still; what is no UTF-8 at all and yet looks like text counts as windows-1252.
 */
export function detectEncoding(bytes: Uint8Array): Encoding | null {
  if (startsWith(bytes, marks['utf-16le'])) return isUtf16(bytes, 'utf-16le') ? 'utf-16le' : null;
  if (startsWith(bytes, marks['utf-16be'])) return isUtf16(bytes, 'utf-16be') ? 'utf-16be' : null;
  if (bytes.subarray(0, NUL_REACH).includes(0)) return null;
  if (startsWith(bytes, marks['utf-8-bom'])) return 'utf-8-bom';
  if (isUtf8(bytes)) return 'utf-8';
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const sample = bytes.subarray(first, first + SAMPLE_BYTES);
  if (isDamagedUtf8(sample)) return 'utf-8';
  return looksLikeText(sample) ? 'windows-1252' : null;
}

/** Without the byte order mark. Bytes that are broken in UTF-8 become U+FFFD; all else can be encoded back exactly. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  const body = viewOf(bytes).subarray(markLength(encoding));
  switch (encoding) {
    case 'utf-8':
    case 'utf-8-bom':
      return body.toString('utf8');
    case 'utf-16le':
      return body.toString('utf16le');
    case 'utf-16be':
      return swapped(body).toString('utf16le');
    case 'windows-1252':
      return body
        .toString('latin1')
        .replaceAll(/[\x80-\x9f]/g, (control) => special.charAt(control.charCodeAt(0) - 0x80));
    default:
      return encoding satisfies never;
  }
}

/** With the byte order mark, where the encoding has one. Null when a character has no place in the encoding. */
export function encodeText(text: string, encoding: Encoding): Uint8Array | null {
  const body = encodePart(text, encoding);
  return body && Buffer.concat([Buffer.from(marks[encoding]), body]);
}

/** A text that is to stand inside a file: never with a byte order mark. */
export function encodePart(text: string, encoding: Encoding): Uint8Array | null {
  switch (encoding) {
    case 'utf-8':
    case 'utf-8-bom':
      return hasHalfCharacter(text) ? null : Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return swapped(Buffer.from(text, 'utf16le'));
    case 'windows-1252':
      return encodeWindows1252(text);
    default:
      return encoding satisfies never;
  }
}

/** How many bytes of a file its byte order mark takes. */
export function markLength(encoding: Encoding): number {
  return marks[encoding].length;
}

/** A surrogate without its other half: no character, and nothing UTF-8 can hold. */
export function hasHalfCharacter(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte);
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Each pair of bytes turned round, in a copy; an odd byte at the end is left out. */
function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}

function isUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): boolean {
  return bytes.length % 2 === 0 && !/[\0\uFFFE\uFFFF]|\p{Surrogate}/u.test(decodeText(bytes, encoding));
}

/** More sound characters beyond ASCII than broken bytes: in another encoding that does not happen by chance. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = decodeText(bytes, 'utf-8');
  let broken = 0;
  let sound = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd) broken++;
    else if (unit > 0x7f) sound++;
  }
  return sound > broken;
}

function looksLikeText(bytes: Uint8Array): boolean {
  let controls = 0;
  for (const byte of bytes) controls += neverInText[byte] ?? 0;
  return controls * CONTROL_SHARE <= bytes.length;
}

function encodeWindows1252(text: string): Uint8Array | null {
  let fits = true;
  const latin = text.replaceAll(/[^\0-\x7f\xa0-\xff]/g, (character) => {
    const at = special.indexOf(character);
    if (at === -1) fits = false;
    return String.fromCharCode(0x80 + at);
  });
  return fits ? Buffer.from(latin, 'latin1') : null;
}
