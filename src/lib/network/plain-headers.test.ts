import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlainHeaders } from './plain-headers.ts';

const name = fc.oneof(
  fc.constantFrom('accept', 'Accept', 'X-A', 'x-a', 'set-cookie', 'Set-Cookie', 'x-b'),
  fc.string({ maxLength: 4, unit: 'binary' }),
);
const value = fc.oneof(
  fc.constantFrom('a', 'b, c', '', ' padded\t', 'line\nbreak', 'ü', '✓', '\u0000', '\r\n x'),
  fc.string({ maxLength: 6, unit: 'binary' }),
);
const step = fc.oneof(
  fc.record({ type: fc.constantFrom('append' as const, 'set' as const), name, value }),
  fc.record({ type: fc.constantFrom('delete' as const, 'has' as const, 'get' as const), name }),
);

/** What happened, with an error as the one word that matters. */
function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof TypeError ? 'TypeError' : error;
  }
}

function everything(headers: Headers) {
  const visited: unknown[] = [];
  headers.forEach((held, key) => void visited.push([key, held]));
  return {
    pairs: [...headers],
    entries: [...headers.entries()],
    keys: [...headers.keys()],
    values: [...headers.values()],
    cookies: headers.getSetCookie(),
    visited,
  };
}

describe('plain headers beside the runtime’s own', () => {
  test('the same steps lead to the same headers, answers and refusals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const [ours, theirs] = [new PlainHeaders(), new Headers()];
        for (const taken of steps) {
          const [a, b] = [ours, theirs].map((headers: Headers) =>
            outcome(() =>
              'value' in taken
                ? headers[taken.type](taken.name, taken.value)
                : headers[taken.type](taken.name),
            ),
          );
          expect(a).toEqual(b);
        }
        expect(everything(ours)).toEqual(everything(theirs));
      }),
    );
  });

  test('they are made of the same things', () => {
    const pairs = fc.array(fc.tuple(name, value), { maxLength: 5 });
    const init = fc.oneof(pairs, fc.dictionary(name, value, { maxKeys: 5 }));
    fc.assert(
      fc.property(init, (given) => {
        const ours = outcome(() => everything(new PlainHeaders(given)));
        expect(ours).toEqual(outcome(() => everything(new Headers(given))));
      }),
    );
    const odd = [[['a']], [['a', 'b', 'c']], null, 'text', 7, undefined] as unknown as HeadersInit[];
    for (const given of odd)
      expect(outcome(() => everything(new PlainHeaders(given)))).toEqual(
        outcome(() => everything(new Headers(given))),
      );
  });

  test('each is taken for the other, and nothing else is', () => {
    const theirs = new Headers({ a: '1', 'set-cookie': 'x' });
    const ours = new PlainHeaders(theirs);
    expect(everything(ours)).toEqual(everything(theirs));
    expect(everything(new Headers(ours))).toEqual(everything(theirs));
    expect(everything(new Response(null, { headers: ours }).headers)).toEqual(everything(theirs));
    const taken = [ours, theirs, { a: '1' }, new Map(), null, undefined].map(
      (x) => x instanceof PlainHeaders,
    );
    expect(taken).toEqual([true, true, false, false, false, false]);
  });
});
