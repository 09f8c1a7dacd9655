import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNewer } from './version-order.ts';

test('versions in semver order, each newer than all before it', () => {
  const inOrder = [
    '0.1.0',
    '0.1.9',
    '0.1.10',
    '0.2.0-rc.1',
    '0.2.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    'v2.0.0+build.7',
  ];
  const wrong = inOrder.flatMap((one, i) =>
    inOrder.flatMap((other, k) => (isNewer(one, other) === i > k ? [] : [`${one} against ${other}`])),
  );
  expect(wrong).toEqual([]);
});

test.each(['', 'latest', '1.2', '1.2.3.4', '99999999999.0.0', '1.2.3 <script>'])(
  'an invalid version is never newer: %j',
  (text) => {
    expect([isNewer(text, '0.0.1'), isNewer('9.9.9', text)]).toEqual([false, false]);
  },
);

test('property: of two versions at most one is newer, and only equal ones are neither', () => {
  const part = fc.nat({ max: 12 });
  const version = fc
    .tuple(part, part, part, fc.option(fc.tuple(fc.constantFrom('alpha', 'rc', '7'), part)))
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre ? `-${pre.join('.')}` : ''}`);
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(Number(isNewer(a, b)) + Number(isNewer(b, a))).toBe(a === b ? 0 : 1);
    }),
  );
});
