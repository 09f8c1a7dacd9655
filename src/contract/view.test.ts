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
const epoch = fc
  .record({ from: fc.nat(40), system: fc.constantFrom('s', 't') })
  .map((own): ViewChange => ({ type: 'epoch', cause: 'start', reader: 'p', tools: [], stated: {}, ...own }));
const mask = fc
  .record({ placeholder: fc.constantFrom('x', 'y'), from: fc.nat(40) })
  .map((own): ViewChange => ({ type: 'mask', ...own }));
const change: fc.Arbitrary<ViewChange> = fc.oneof(
  compaction,
  epoch,
  mask,
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

test('a rewind returns to an epoch with the secrets that were hidden in it', () => {
  fc.assert(
    fc.property(fc.array(mask), fc.array(fc.oneof(epoch, mask)), (own, later) => {
      const first: ViewChange = {
        type: 'epoch',
        cause: 'start',
        reader: 'p',
        tools: [],
        stated: {},
        from: 0,
        system: '',
      };
      const view = [first, ...own].reduce(changeView, wholeView);
      const next = later.map(
        (one): ViewChange => (one.type === 'epoch' ? { ...one, from: one.from + 1 } : one),
      );
      const changed = [{ ...first, from: 1 }, ...next].reduce(changeView, view);
      expect(rewindView(changed, 0).epochs).toEqual(view.epochs);
    }),
  );
});
