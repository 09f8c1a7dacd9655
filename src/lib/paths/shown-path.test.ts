import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownPath } from './shown-path.ts';

const place = { cwd: '/home/ann/app', home: '/home/ann' };

test.each([
  ['/home/ann/app/src/auth.ts', 'src/auth.ts'],
  ['src/auth.ts', 'src/auth.ts'],
  ['./src//auth.ts', 'src/auth.ts'],
  ['/home/ann/app', '.'],
  ['.', '.'],
  ['/home/ann/app/../notes.md', '~/notes.md'],
  ['../notes.md', '~/notes.md'],
  ['~/notes.md', '~/notes.md'],
  ['~', '~'],
  ['~/app/a.ts', 'a.ts'],
  ['~other/a.ts', '~other/a.ts'],
  ['/home/ann/app-old/a.ts', '~/app-old/a.ts'],
  ['/home/anna/a.ts', '/home/anna/a.ts'],
  ['src/../../../../etc/passwd', '/etc/passwd'],
])('%s is shown as %s', (file, shown) => {
  expect(shownPath(file, place)).toBe(shown);
});

test('what is shown is always the same file', () => {
  const step = fc.constantFrom('src', 'a.ts', '..', '.', 'home', 'ann', 'app', '');
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), fc.boolean(), (steps, absolute) => {
      const file = `${absolute ? '/' : ''}${steps.join('/')}`;
      const shown = shownPath(file, place);
      const meant = shown.startsWith('~') ? place.home + shown.slice(1) : shown;
      expect(path.resolve(place.cwd, meant)).toBe(path.resolve(place.cwd, file));
    }),
  );
});
