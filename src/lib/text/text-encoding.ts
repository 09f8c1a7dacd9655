import { isUtf8 } from 'node:buffer';

/** UTF-16 needs a byte order mark; without one it cannot be distinguished from binary. */
export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'windows-1252';

const marks = {
  'utf-8': [],
  'utf-8-bom': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
  'windows-1252': [],
} satisfies Record<Encoding, number[]>;

/** How many bytes are searched for NUL. */
const NUL_REACH = 8192;
/** How many bytes are sampled if it is not valid UTF-8, from the first non-ASCII byte on. */
const SAMPLE_BYTES = 256 * 1024;
/** One control character in this many bytes makes a file of unknown encoding binary. */
const CONTROL_SHARE = 50;

/** The windows-1252 characters for 0x80 to 0x9f; five of them stay control characters. */
const special = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * 1 for bytes that do not occur in text: control characters other than layout and escape, and gaps in
 * windows-1252.
 */
const neverInText = Uint8Array.from({ length: 256 }, (_, byte) => {
  const control = byte < 0x07 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f;
  return control || [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte) ? 1 : 0;
});

/**
 * The encoding of a whole file, or of a part that ends with a line. Null means binary. UTF-8 with some broken
 * bytes is still UTF-8; text that is not UTF-8 at all counts as windows-1252.
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

/**
 * Without the byte order mark. Broken UTF-8 bytes become U+FFFD; everything else can be encoded back exactly.
 */
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

/** With the byte order mark, where the encoding has one. Null if a character cannot be encoded. */
export function encodeText(text: string, encoding: Encoding): Uint8Array | null {
  const body = encodePart(text, encoding);
  return body && Buffer.concat([Buffer.from(marks[encoding]), body]);
}

/** Text for the inside of a file: never with a byte order mark. */
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

/** The length of the byte order mark. */
export function markLength(encoding: Encoding): number {
  return marks[encoding].length;
}

/** Whether it has a lone surrogate, which UTF-8 cannot encode. */
export function hasHalfCharacter(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte);
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A copy with each pair of bytes swapped; drops an odd byte at the end. */
function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}

function isUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): boolean {
  return bytes.length % 2 === 0 && !/[\0\uFFFE\uFFFF]|\p{Surrogate}/u.test(decodeText(bytes, encoding));
}

/** More valid non-ASCII characters than broken bytes: that does not happen by chance in another encoding. */
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
