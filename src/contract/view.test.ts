import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesTo, changeView, rewindView, type ViewChange, wholeView } from './view.ts';

const compaction = fc
  .record({ keepFrom: fc.nat(20), squeezeUntil: fc.nat(20), level: fc.nat(4), at: fc.nat(40) })
  .map(
    (places): ViewChange => ({
      type: 'compaction',
      summary: 's',
      kept: '',
      ...places,
      tokensBefore: 2,
      tokensAfter: 1,
      by: 'm',
    }),
  );
const change: fc.Arbitrary<ViewChange> = fc.oneof(
  compaction,
  fc.constant<ViewChange>({ type: 'uncompact', at: 3 }),
  fc.constantFrom('a', 'b').map((text): ViewChange => ({ type: 'pin_fact', text })),
  fc.constantFrom('a', 'b').map((text): ViewChange => ({ type: 'unpin_fact', text })),
  fc.constantFrom('m', 'n').map((model): ViewChange => ({ type: 'estimate', model, factor: 1.2 })),
);

test('property: replaying the changes of a view yields the same view', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const view = changes.reduce(changeView, wholeView);
      const { countFrom: _from, ...again } = changesTo(view).reduce(changeView, wholeView);
      expect(view).toMatchObject(again);
    }),
  );
});

test('uncompact restores the view from before the compaction, except for token counts since', () => {
  fc.assert(
    fc.property(fc.array(change), compaction, (changes, one) => {
      const view = changes.reduce(changeView, wholeView);
      const back = [one, { type: 'uncompact', at: 7 } as const].reduce(changeView, view);
      expect(back).toEqual({ ...view, countFrom: 7 });
    }),
  );
});

test('after a rewind no compaction refers to removed messages; pins stay', () => {
  fc.assert(
    fc.property(fc.array(change), fc.nat(40), (changes, keep) => {
      const view = changes.reduce(changeView, wholeView);
      const rewound = rewindView(view, keep);
      expect(rewound.compactions.every(({ at }) => at <= keep)).toBe(true);
      expect(rewound.pins).toEqual(view.pins);
      expect(rewindView(rewound, keep)).toEqual(rewound);
    }),
  );
});
