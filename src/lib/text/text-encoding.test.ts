import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, detectEncoding, type Encoding, encodePart, encodeText } from './text-encoding.ts';

const encodings: Encoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'windows-1252'];
const latin = (text: string) => Buffer.from(text, 'latin1');

describe('[T08] detecting encodings', () => {
  test.each<[string, Uint8Array, Encoding | null]>([
    ['nothing', latin(''), 'utf-8'],
    ['ASCII', latin('a\r\nb'), 'utf-8'],
    ['UTF-8', Buffer.from('grüße 😀'), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from('\ufeffgrüße'), 'utf-8-bom'],
    ['a broken byte among UTF-8', Buffer.concat([Buffer.from('grüße '), latin('\xff')]), 'utf-8'],
    ['a broken byte after a mark', latin('\xef\xbb\xbfa\xff'), 'utf-8-bom'],
    ['UTF-16, small end first', latin('\xff\xfea\0\n\0'), 'utf-16le'],
    ['UTF-16, big end first', latin('\xfe\xff\0a\0\n'), 'utf-16be'],
    ['UTF-16 that ends in half a character', latin('\xff\xfea'), null],
    ['UTF-16 with NUL characters', latin('\xff\xfea\0\0\0'), null],
    ['UTF-32', latin('\xff\xfe\0\0a\0\0\0'), null],
    ['UTF-16 without a mark', latin('a\0b\0'), null],
    ['windows-1252', latin('caf\xe9 \x80 5'), 'windows-1252'],
    ['NUL bytes', latin('a\0b'), null],
    ['compressed bytes', latin('\x1f\x8b\x08\x01\x02\xff\x03\x91'), null],
  ])('%s', (_, bytes, encoding) => {
    expect(detectEncoding(bytes)).toBe(encoding);
  });
});

describe('[T08] encoding and decoding', () => {
  test('windows-1252 has printable characters where Latin-1 has controls', () => {
    expect(decodeText(latin('\x80\x91\x9f\xe9\x81'), 'windows-1252')).toBe('€‘Ÿé\x81');
    expect(encodeText('€‘Ÿé\x81', 'windows-1252')).toEqual(latin('\x80\x91\x9f\xe9\x81'));
  });

  test('an unencodable character is reported', () => {
    expect(encodeText('naïve → 😀', 'windows-1252')).toBe(null);
    expect(encodeText('\x80', 'windows-1252')).toBe(null);
    expect(encodeText('half \ud83d', 'utf-8')).toBe(null);
  });

  test('a file starts with its byte order mark, a part never does, and the mark is not part of the text', () => {
    expect(encodeText('a', 'utf-8-bom')).toEqual(latin('\xef\xbb\xbfa'));
    expect(encodeText('a', 'utf-16be')).toEqual(latin('\xfe\xff\0a'));
    expect(encodePart('a', 'utf-16le')).toEqual(latin('a\0'));
    expect(encodings.map((encoding) => decodeText(encodeText('a', encoding) ?? latin(''), encoding))).toEqual(
      encodings.map(() => 'a'),
    );
  });

  test('property: any text round-trips through its bytes, and any windows-1252 bytes through their text', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.constantFrom(...encodings), (original, encoding) => {
        const bytes = encodeText(original, encoding);
        fc.pre(bytes !== null);
        expect(decodeText(bytes ?? latin(''), encoding)).toBe(original);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(encodeText(decodeText(bytes, 'windows-1252'), 'windows-1252')).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('property: bytes not detected as damaged UTF-8 round-trip', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.constantFrom('', '\xef\xbb\xbf', '\xff\xfe', '\xfe\xff'),
        (tail, mark) => {
          const bytes = Buffer.concat([latin(mark), tail]);
          const encoding = detectEncoding(bytes);
          fc.pre(encoding !== null && !decodeText(bytes, encoding).includes('\ufffd'));
          expect(encoding && encodeText(decodeText(bytes, encoding), encoding)).toEqual(bytes);
        },
      ),
    );
  });
});
