import { expect, test } from 'vitest';
import { ignoreRules } from './ignore-rules.ts';

test.each<[lines: string, folder: string, said: ReturnType<ReturnType<typeof ignoreRules>>]>([
  ['dist', 'dist', 'ignored'],
  ['dist', 'a/b/dist', 'ignored'],
  ['dist/', 'dist', 'ignored'],
  ['/dist', 'a/dist', undefined],
  ['a/dist', 'a/dist', 'ignored'],
  ['a/dist', 'b/a/dist', undefined],
  ['*.egg-info', 'x.egg-info', 'ignored'],
  ['a/*', 'a/b', 'ignored'],
  ['a/*', 'a', undefined],
  ['a/**', 'a', undefined],
  ['# dist', 'dist', undefined],
  ['dist\n!dist', 'dist', 'kept'],
  ['!dist\ndist', 'dist', 'ignored'],
  ['dist\r\nout', 'dist', 'ignored'],
  // Ambiguous: never treated as ignoring, always as possibly keeping.
  ['d[ij]st', 'dist', undefined],
  ['dist\n!d[ij]st', 'dist', 'kept'],
  ['dis?', 'dist', undefined],
])('%j for %s: %s', (lines, folder, said) => {
  expect(ignoreRules(lines)(folder)).toBe(said);
});
