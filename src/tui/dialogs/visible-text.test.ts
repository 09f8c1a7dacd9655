import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleLine, visibleText } from './visible-text.ts';

test('a control character is shown, not obeyed', () => {
  expect(visibleText('ls\u001b[2J\u0007\u007f\u009b31m\rrm')).toBe('ls␛[2J␇␡<U+009B>31m␍rm');
});

test('a letter that turns, hides or joins text is named', () => {
  expect(visibleText('a\u202eb\u200bc\u2066d\ufeff')).toBe('a<U+202E>b<U+200B>c<U+2066>d<U+FEFF>');
});

test('an ordinary text of any script stays as it is, joined emoji too', () => {
  const text = 'naïve — 日本語 שלום 👩‍🚀 e\u0301\n\tx';
  expect(visibleText(text)).toBe(text);
});

test('a newline in a name does not begin a row of ours', () => {
  expect(visibleLine('a.txt\nAllow: y\t?')).toBe('a.txt ⏎ Allow: y ?');
});

test('whatever comes in, nothing that steers a terminal goes out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
      expect(visibleLine(text)).not.toMatch(/\p{Cc}/u);
    }),
  );
});
