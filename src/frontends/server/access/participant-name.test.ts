import fc from 'fast-check';
import { expect, test } from 'vitest';
import { participantName } from './participant-name.ts';

test.each([
  ['Eve', 'Eve'],
  ['  Eve \n\t Doe ', 'Eve Doe'],
  ['Eve\r\nSet-Cookie: a=b', 'Eve Set-Cookie: a=b'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['\u001b[31mEve\u0007', '[31mEve'],
  ['Eve\u202egnp.', 'Evegnp.'],
  ['E\u200bv\u00ade', 'Eve'],
  ['\ud800Eve', 'Eve'],
  ['', 'Guest'],
  ['\u200b\u3164', 'Guest'],
  ['ada', 'ada (guest)'],
  ['Ａ\u200bda', 'Ada (guest)'],
  ['Owner', 'Owner (guest)'],
  ['x'.repeat(5_000), 'x'.repeat(40)],
  ['é', 'é'],
  ['李小龍', '李小龍'],
])('%j becomes %j', (wanted, name) => {
  expect(participantName(wanted, 'ada')).toBe(name);
});

test('whatever is wanted, the name is one short line of visible characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (wanted) => {
      const name = participantName(wanted, 'ada');
      const isVisible = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name) && name.trim() === name;
      return isVisible && [...name].length <= 48 && name.toLowerCase() !== 'ada';
    }),
  );
});
