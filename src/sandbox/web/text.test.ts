import { describe, expect, test } from 'vitest';
import { decodePage, kindOf, mediaTypeOf, sniff } from './text.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16le = (text: string) => Uint8Array.from(Buffer.from(`\uFEFF${text}`, 'utf16le'));
const utf16be = (text: string) => Uint8Array.from(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

describe('the encoding of a page', () => {
  test.each<[string, Uint8Array, string | null, string]>([
    ['UTF-8 by default', utf8('naïve 正'), null, 'naïve 正'],
    ['windows-1252 where UTF-8 is impossible', latin('na\xefve \x80 \x93'), null, 'naïve € “'],
    ['by the header', latin('\xe9'), 'text/plain; charset=ISO-8859-1', 'é'],
    ['by a quoted header', latin('\xe9'), 'text/plain;CHARSET="latin1"; x=y', 'é'],
    ['Cyrillic', latin('\xf0\xd2\xc9'), 'text/html; charset=koi8-r', 'При'],
    ['Shift_JIS', latin('\x93\xfa\x96\x7b'), 'text/html; charset=Shift_JIS', '日本'],
    ['GB18030', latin('\xd6\xd0'), 'text/html; charset=gb2312', '中'],
    ['EUC-KR', latin('\xc7\xd1'), 'text/html; charset=euc-kr', '한'],
    ['Big5', latin('\xa4\xa4'), 'text/html; charset=big5', '中'],
    ['by meta', latin('<meta charset="windows-1251">\xcf'), 'text/html', '<meta charset="windows-1251">П'],
    [
      'by the older meta',
      latin('<META http-equiv=Content-Type content="text/html; charset=iso-8859-2">\xb1'),
      null,
      '<META http-equiv=Content-Type content="text/html; charset=iso-8859-2">ą',
    ],
    [
      'by an XML declaration',
      latin('<?xml version="1.0" encoding="iso-8859-1"?>\xe9'),
      'application/xml',
      '<?xml version="1.0" encoding="iso-8859-1"?>é',
    ],
    [
      'the header before meta',
      utf8('<meta charset="koi8-r">é'),
      'text/html; charset=utf-8',
      '<meta charset="koi8-r">é',
    ],
    [
      'not by a meta in a comment',
      utf8('<!-- <meta charset="koi8-r"> -->é'),
      null,
      '<!-- <meta charset="koi8-r"> -->é',
    ],
    ['meta cannot mean UTF-16', utf8('<meta charset="utf-16">é'), null, '<meta charset="utf-16">é'],
    [
      'the mark before the header',
      join(Uint8Array.of(0xef, 0xbb, 0xbf), utf8('é')),
      'text/plain; charset=koi8-r',
      'é',
    ],
    ['UTF-16 by its mark', utf16le('é正'), 'text/plain; charset=utf-8', 'é正'],
    ['UTF-16 the other way round', utf16be('é正'), null, 'é正'],
    ['an unknown name is passed over', utf8('é'), 'text/plain; charset=klingon', 'é'],
    [
      'broken bytes in declared UTF-8 are shown as such',
      latin('a\xffb'),
      'text/plain; charset=utf-8',
      'a\uFFFDb',
    ],
  ])('%s', (_name, bytes, header, expected) => {
    expect(decodePage(bytes, header)).toBe(expected);
  });
});

describe('the type of a page', () => {
  test.each([
    ['text/html; charset=utf-8', 'html'],
    ['Application/XHTML+XML', 'html'],
    ['text/plain', 'text'],
    ['text/markdown', 'text'],
    ['application/json', 'text'],
    ['application/problem+json', 'text'],
    ['application/atom+xml', 'text'],
    ['application/x-ndjson', 'text'],
    ['application/javascript', 'text'],
    ['image/svg+xml', 'text'],
    ['application/octet-stream', 'unknown'],
    [null, 'unknown'],
    ['image/png', 'other'],
    ['application/pdf', 'other'],
    ['application/zip', 'other'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'other'],
  ])('%s: %s', (header, kind) => {
    expect(kindOf(mediaTypeOf(header))).toBe(kind);
  });

  test.each<[string, Uint8Array, string]>([
    ['HTML', utf8('\n<!DOCTYPE html><p>x'), 'html'],
    ['text', utf8('# héllo'), 'text'],
    ['text in UTF-16', utf16le('a'), 'text'],
    ['nothing', utf8(''), 'text'],
    ['a NUL byte', utf8('a\0b'), 'other'],
    ['no UTF-8', latin('\x89PNG\xff'), 'other'],
  ])('undeclared: %s', (_name, bytes, kind) => {
    expect(sniff(bytes)).toBe(kind);
  });
});
