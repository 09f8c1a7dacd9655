import { getTokenizer } from '@anthropic-ai/tokenizer';
import * as fc from 'fast-check';
import llama from 'llama-tokenizer-js';
import { get_encoding } from 'tiktoken';

const claude = getTokenizer();
const openai = get_encoding('cl100k_base');
const older = get_encoding('r50k_base');

/** Of three vendors: byte-level and SentencePiece, with and without normalization. */
export const TOKENIZERS: Readonly<Record<string, (text: string) => number>> = {
  Anthropic: (text) => claude.encode(text.normalize('NFKC'), 'all').length,
  'OpenAI cl100k': (text) => openai.encode(text, [], []).length,
  'OpenAI r50k': (text) => older.encode(text, [], []).length,
  // SentencePiece begins every text with a space.
  Llama: (text) => llama.encode(text, false, false).length,
};

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const lines = (row: fc.Arbitrary<string>) => fc.array(row, { maxLength: 40 }).map((rows) => rows.join('\n'));
const of = (letters: string, most = 600) =>
  fc.array(fc.constantFrom(...letters), { maxLength: most }).map((all) => all.join(''));
const range = (from: number, to: number) =>
  fc
    .array(fc.integer({ min: from, max: to }), { maxLength: 300 })
    .map((points) => points.map((point) => String.fromCodePoint(point)).join(''));

export const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  base64: bytes(600).map((data) => Buffer.from(data).toString('base64')),
  hex: bytes(300).map((data) => Buffer.from(data).toString('hex')),
  'random bytes': bytes(600).map((data) => Buffer.from(data).toString('latin1')),
  'damaged UTF-8': bytes(600).map((data) => Buffer.from(data).toString('utf8')),
  'long runs of digits': of('0123456789', 900),
  'one letter, repeated': fc
    .tuple(fc.constantFrom(...'aA0 .\n\t=-#{é語'), fc.nat(500))
    .map(([c, n]) => c.repeat(n)),
  CSV: lines(
    fc.array(fc.oneof(fc.float().map(String), fc.uuid(), of('abcXYZ09', 12))).map((row) => row.join(',')),
  ),
  JSON: fc.json({ maxDepth: 5 }),
  'minified code': lines(of('abcdefgxyz(){}[];,.=>!&|?:+-*/"\'`$_0123456789', 200)),
  punctuation: of('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
  'white space': of(' \t\n\r\v\f\u00a0\u2003\u3000\ufeff'),
  prose: lines(of('the of and to in is that for it as was with be by on not he his but at are this      ,.')),
  CJK: range(0x4e00, 0x9fff),
  'rare CJK': range(0x20000, 0x2a6df),
  Hangul: range(0xac00, 0xd7a3),
  Arabic: range(0x600, 0x6ff),
  'letters that normalization takes apart': range(0xfb00, 0xfdff),
  'letters in circles, squares and full width': range(0x3200, 0x33ff),
  'mathematical letters': range(0x1d400, 0x1d7ff),
  emoji: range(0x1f300, 0x1faff),
  'flags, joiners and marks': of('🇩🇪👩‍💻\u200d\ufe0f\u0301\u0327👍🏽', 200),
  'private use and control characters': fc.oneof(range(0xe000, 0xf8ff), range(0, 0x1f)),
  'lone surrogates': fc.string({ unit: 'binary', maxLength: 300 }),
  'any characters': fc.string({ unit: 'grapheme', maxLength: 400 }),
  'names of special tokens': of('<|endoftext|><s></s>[INST]<|im_start|>\n\nHuman:'),
};
