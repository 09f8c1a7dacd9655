import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside } from './inside.ts';

test.each([
  ['/srv/app', '/srv/app', true],
  ['/srv/app', '/srv/app/a/b', true],
  ['/srv/app', '/srv/app/..a', true],
  ['/srv/app', '/srv/app-evil', false],
  ['/srv/app', '/srv', false],
  ['/srv/app', '/etc', false],
  ['/srv/app', '/srv/app/../evil', false],
  ['/srv/app/', '/srv/app/a', true],
  ['/', '/etc', true],
])('[Y08] in %s: %s is %s', (folder, file, inside) => {
  expect(isInside(folder, file)).toBe(inside);
});

test.skipIf(path.sep !== '/')('property: a path is inside exactly if its resolved form is', () => {
  const name = fc.constantFrom('', '.', '..', '...', '.a', 'a', 'ab', 'a.', 'b');
  const written = fc.array(name, { maxLength: 6 }).map((names) => `/${names.join('/')}`);
  fc.assert(
    fc.property(written, written, (folder, file) => {
      const names = (one: string) => path.resolve(one).split('/').filter(Boolean);
      const above = names(folder);
      expect(isInside(folder, file)).toBe(above.every((part, i) => names(file)[i] === part));
    }),
    { numRuns: 2_000 },
  );
});
