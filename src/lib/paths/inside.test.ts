import { expect, test } from 'vitest';
import { isInside } from './inside.ts';

test.each([
  ['/srv/app', '/srv/app', true],
  ['/srv/app', '/srv/app/a/b', true],
  ['/srv/app', '/srv/app/..a', true],
  ['/srv/app', '/srv/app-evil', false],
  ['/srv/app', '/srv', false],
  ['/srv/app', '/etc', false],
  ['/', '/etc', true],
])('[Y08] in %s: %s is %s', (folder, file, inside) => {
  expect(isInside(folder, file)).toBe(inside);
});
