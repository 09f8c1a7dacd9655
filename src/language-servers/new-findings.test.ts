import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from '../contract/code-intelligence.ts';
import { newFindings } from './new-findings.ts';

const finding = (message: string, line: number, lineText = message): Finding => ({
  path: '/a',
  line,
  column: 1,
  severity: 'error',
  source: 's',
  code: '',
  message,
  lineText,
});

const some = fc.array(
  fc.record({ message: fc.constantFrom('x', 'y'), line: fc.nat(9), text: fc.constantFrom('p', 'q') }),
  { maxLength: 8 },
);
const made = (rows: { message: string; line: number; text: string }[]) =>
  rows.map(({ message, line, text }) => finding(message, line, text));

test('what was there before is never new, wherever it moved, and everything else is', () => {
  fc.assert(
    fc.property(some, some, (before, added) => {
      const old = made(before);
      const moved = old.map((one) => ({ ...one, line: one.line + 5 }));
      const fresh = made(added);
      expect(newFindings(old, moved)).toEqual([]);
      expect(newFindings(old, [...fresh, ...moved])).toHaveLength(fresh.length);
      expect(newFindings([], fresh)).toHaveLength(fresh.length);
    }),
  );
});

test('of several that say the same, the one on a line that was not there is the new one', () => {
  const before = [finding('x', 3, 'old line')];
  const after = [finding('x', 1, 'new line'), finding('x', 4, 'old line')];
  expect(newFindings(before, after)).toEqual([finding('x', 1, 'new line')]);
});
