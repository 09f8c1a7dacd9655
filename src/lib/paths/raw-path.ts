/**
 * File names are bytes. Invalid UTF-8 is decoded with each stray byte as U+DC00 plus its value, a code unit
 * that no valid name contains and that survives JSON.
 */
export function pathFromBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  let path = '';
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + lengthFrom(bytes[at] ?? 0));
    const character = part.toString('utf8');
    const isValid = Buffer.from(character).equals(part);
    path += isValid ? character : String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += isValid ? part.length : 1;
  }
  return path;
}

/** The path to pass to system calls. */
export function nativePath(path: string): string | Buffer {
  if (!STRAY.test(path)) return path;
  const parts = [...path].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return isStray(code) ? Buffer.from([code - 0xdc00]) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

const STRAY = /[\udc80-\udcff]/;

function isStray(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

/** The length of a character by its first byte. */
function lengthFrom(first: number): number {
  if (first < 0x80) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
