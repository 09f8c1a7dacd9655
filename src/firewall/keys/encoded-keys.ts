import { createScanner } from '../scan-hints.ts';
import { keyFinders } from './key-finder.ts';

const keysIn = createScanner(keyFinders);

/** A word that is a key in another form, as printed by `base64`, `xxd -p` and `rev`. */
export type EncodedKey = { start: number; end: number; name: string };

const SHORTEST_WORD = 24;
const LONGEST_WORD = 16_384;
const LONGEST_REVERSED = 512;
/** Only text holds keys; hashes, images and archives are bytes. */
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;
/** How much of a long word shows that it is not text. */
const PROBE = 64;

const DECODERS: readonly [how: string, decode: (word: string) => string | null][] = [
  ['base64', (word) => bytesOf(word, 'base64')],
  ['hex', (word) => (/^(?:[\da-f]{2})+$/i.test(word) ? bytesOf(word, 'hex') : null)],
  ['reversed', (word) => (word.length <= LONGEST_REVERSED ? reversed(word) : null)],
];

/** Keys of known formats in words that were encoded or reversed as a whole. */
export function encodedKeys(text: string): EncodedKey[] {
  const found: EncodedKey[] = [];
  for (const { start, end } of longWords(text)) {
    const word = text.slice(start, end);
    for (const [how, decode] of DECODERS) {
      const [key] = keysIn(decode(word) ?? '');
      if (!key) continue;
      found.push({ start, end, name: `${key.name}.${how}` });
      break;
    }
  }
  return found;
}

/** Looks only where a long word would have a character, which skips most of a text. */
function* longWords(text: string): Generator<{ start: number; end: number }> {
  for (let at = SHORTEST_WORD - 1; at < text.length; at += SHORTEST_WORD) {
    if (!isWordCode(text.charCodeAt(at))) continue;
    let start = at;
    while (isWordCode(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isWordCode(text.charCodeAt(end))) end++;
    at = end;
    while (text.charAt(end) === '=' && end - at < 2) end++;
    if (end - start >= SHORTEST_WORD && end - start <= LONGEST_WORD) yield { start, end };
  }
}

/** Of base64, also as in URLs. */
function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 45 ||
    code === 95
  );
}

function reversed(word: string): string {
  return Buffer.from(word, 'latin1').reverse().toString('latin1');
}

function bytesOf(word: string, encoding: 'base64' | 'hex'): string | null {
  const start = Buffer.from(word.slice(0, PROBE), encoding).toString('latin1');
  if (!PRINTABLE.test(start)) return null;
  const whole = Buffer.from(word, encoding).toString('latin1');
  return PRINTABLE.test(whole) ? whole : null;
}
