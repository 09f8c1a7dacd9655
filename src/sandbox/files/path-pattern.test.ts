import { expect, test } from 'vitest';
import { pathMatcher } from './path-pattern.ts';

const places = { cwd: '/p', home: '/home/u' };

test.each([
  ['private', '/p/private', true],
  ['private', '/p/a/private/b.ts', true],
  ['private', '/p/private-not', false],
  ['src/gen', '/p/src/gen/x.ts', true],
  ['src/gen', '/p/other/src/gen', false],
  ['./src/gen/', '/p/src/gen', true],
  ['/etc', '/etc/passwd', true],
  ['/etc', '/p/etc', false],
  ['~/notes', '/home/u/notes/a.md', true],
  ['*.log', '/p/a/b.log', true],
  ['*.log', '/p/a/blog', false],
  ['src/*.ts', '/p/src/a.ts', true],
  ['src/*.ts', '/p/src/a/b.ts', false],
  ['src/**/*.ts', '/p/src/a/b.ts', true],
  ['src/**/*.ts', '/p/src/b.ts', true],
  ['a?c', '/p/abc', true],
  ['a(b)+[c].txt', '/p/a(b)+[c].txt', true],
  ['PRIVATE', '/p/private', true],
  ['caf\u00e9', '/p/cafe\u0301/menu.txt', true],
  ['private', '/p/ｐrivate', true],
  ['private', '/p/private./a', true],
])('%s covers %s: %s', (pattern, file, covered) => {
  expect(pathMatcher(pattern, places)(file)).toBe(covered);
});
