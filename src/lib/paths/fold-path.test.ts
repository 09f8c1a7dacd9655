import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldPath } from './fold-path.ts';

test.each([
  ['/p/src/App.ts', '/p/src/app.ts'],
  ['/p/．ｅｎｖ', '/p/.env'],
  ['/p/.ℯnv', '/p/.env'],
  ['/p/.e\u200bnv', '/p/.env'],
  ['/p/.g\u200cit/config', '/p/.git/config'],
  ['/p/.ſsh/id_rsa', '/p/.ssh/id_rsa'],
  ['/p/.gıt', '/p/.git'],
  ['/p/.ẞh', '/p/.ssh'],
  ['/p/cafe\u0301', '/p/caf\u00e9'],
  ['/p/.env.', '/p/.env'],
  ['/p/.env. .', '/p/.env'],
  ['/p/.ssh /key', '/p/.ssh/key'],
  ['/p/.env::$DATA', '/p/.env'],
  ['/p/.env:$DATA', '/p/.env'],
  ['/p/a:b/c', '/p/a/c'],
  ['/p/12:30.txt', '/p/12:30.txt'],
  ['/p/a b.txt', '/p/a b.txt'],
  ['', ''],
])('%j folds to %j', (file, folded) => {
  expect(foldPath(file)).toBe(folded);
});

test('property: folding is idempotent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (name) => {
      const once = foldPath(`/p/${name}`);
      expect(foldPath(once)).toBe(once);
    }),
    { numRuns: 2_000 },
  );
});
