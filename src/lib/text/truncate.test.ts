import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateText, truncationMark } from './truncate.ts';

describe('[K03] a long text', () => {
  test('up to 10,000 characters is unchanged', () => {
    const text = 'x'.repeat(10_000);
    expect(truncateText(text)).toBe(text);
  });

  test('beyond that keeps its first 5,000 and last 2,000', () => {
    const text = `${'a'.repeat(6_000)}${'b'.repeat(6_000)}`;
    expect(truncateText(text)).toBe(`${'a'.repeat(5_000)}\n... [truncated] ...\n${'b'.repeat(2_000)}`);
  });

  test('is cut between lines where a line end is near', () => {
    const lines = Array.from({ length: 400 }, (_, i) => `line ${String(i).padStart(30, '.')}`);
    const [head = '', tail = ''] = truncateText(lines.join('\n')).split(truncationMark);
    expect(lines.slice(0, head.split('\n').length)).toEqual(head.split('\n'));
    expect(lines.slice(-tail.split('\n').length)).toEqual(tail.split('\n'));
    expect(head.length).toBeGreaterThan(4_800);
    expect(tail.length).toBeGreaterThan(1_800);
  });

  test('property: never splits a surrogate pair, and keeps a true prefix and suffix', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('😀', 'a', '\n', 'é'), minLength: 30, maxLength: 120 }),
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 1, max: 14 }),
        (text, head, tail) => {
          const bound = truncateText(text, { max: 29, head, tail });
          const [first = '', last = ''] = bound.split(truncationMark);
          expect(/\p{Surrogate}/u.test(bound)).toBe(false);
          expect(text.startsWith(first) && text.endsWith(last)).toBe(true);
          expect(first.length <= head && last.length <= tail).toBe(true);
        },
      ),
    );
  });
});
