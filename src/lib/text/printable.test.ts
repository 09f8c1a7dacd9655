import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible } from './printable.ts';

test.each([
  ['colours', 'a \x1b[31mred\x1b[0m', 'a \uFFFD[31mred\uFFFD[0m'],
  ['a line that hides the one before', 'rm -rf ~\rls', 'rm -rf ~\uFFFDls'],
  ['backspaces', 'rm\b\bls', 'rm\uFFFD\uFFFDls'],
  ['eight-bit controls', 'a\x9b2Jb', 'a\uFFFD2Jb'],
  ['letters in another order', 'a\u202Etxt.exe', 'a\uFFFDtxt.exe'],
  ['line ends of Windows', 'a\r\nb', 'a\nb'],
  ['ordinary text in any script', 'naïve\t正しい\nعربى 👩‍💻', 'naïve\t正しい\nعربى 👩‍💻'],
])('%s cannot control a terminal', (_name, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('property: no control character is left, and chunks give the same result as the whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, at) => {
      expect(visible(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
      const cut = at % (text.length + 1);
      fc.pre(!text.includes('\r'));
      fc.pre(!/[\ud800-\udbff]$/.test(text.slice(0, cut)));
      expect(visible(text.slice(0, cut)) + visible(text.slice(cut))).toBe(visible(text));
    }),
  );
});
