import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { nameFilter } from './name-filter.ts';

const segment = fc.stringMatching(/^[.]?[a-z-]([a-z.]{0,3}[a-z])?$/);
const relative = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

test.each(['*', '**', '**/*', '**/**', '**/**/*'])('%s finds what its pattern says', async (pattern) => {
  for (const everything of [false, true]) {
    const filter = await nameFilter({ pattern, everything });
    const isMatch = picomatch(pattern, { dot: everything, basename: !pattern.includes('/') });
    fc.assert(
      fc.property(relative, (file) => {
        expect(filter.matches(file)).toBe(isMatch(file));
      }),
    );
    expect(filter.all).toBe(true);
  }
});

test.each(['*.ts', 'src/*', 'a/**', '.*', '**/.*'])('%s does not match everything', async (pattern) => {
  expect((await nameFilter({ pattern })).all).toBe(false);
});
