import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitize } from './sanitize.ts';

test('escape sequences are made visible, tabs are expanded, and a carriage return before a newline is part of it', () => {
  expect(sanitize('\u001b[2J\u0007 a\tb\r\nc\rd\u009b1m\u007f')).toBe('␛[2J␇ a b\nc␍d\uFFFD1m␡');
});

test('direction overrides are removed; joiners that shape words stay', () => {
  expect(sanitize('a\u202eb\u2066c')).toBe('a\uFFFDb\uFFFDc');
  expect(sanitize('שלום\u200f 👩‍👧 e\u0301')).toBe('שלום\u200f 👩‍👧 e\u0301');
});

test('no text keeps any control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(sanitize(text).replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});
