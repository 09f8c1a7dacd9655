import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Documents } from './documents.ts';

type Step =
  | { type: 'set'; path: string; text: string; afresh: boolean }
  | { type: 'close'; path: string }
  | { type: 'world' }
  | { type: 'clear' }
  /** `lag`: how many versions ago the text was that this result is for; negative for versions never sent. */
  | { type: 'publish'; path: string; lag: number; versioned: boolean };

const path = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('set' as const),
    path,
    text: fc.constantFrom('one', 'two', 'three'),
    afresh: fc.boolean(),
  }),
  fc.record({ type: fc.constant('close' as const), path }),
  fc.record({ type: fc.constant('world' as const) }),
  fc.record({ type: fc.constant('clear' as const) }),
  fc.record({
    type: fc.constant('publish' as const),
    path,
    lag: fc.integer({ min: -2, max: 4 }),
    versioned: fc.boolean(),
  }),
);

test('whatever a server publishes and when, only results for the text it has now count', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const documents = new Documents<string>();
      /** Every text ever sent, by version: what an honest result for that version says. */
      const sent = new Map<number, { path: string; text: string }>();
      const versions: number[] = [];
      for (const one of steps) {
        if (one.type === 'set') {
          const { type, version } = documents.set(one.path, one.text, one);
          if (type !== 'none') {
            expect(version).toBeGreaterThan(versions.at(-1) ?? 0);
            versions.push(version);
            sent.set(version, { path: one.path, text: one.text });
            expect(documents.published(one.path)).toBeUndefined();
          }
        }
        if (one.type === 'close') documents.close(one.path);
        if (one.type === 'world') documents.worldChanged();
        if (one.type === 'clear') documents.clear();
        if (one.type === 'publish') {
          const version = (versions.at(-1) ?? 0) - one.lag;
          const about = sent.get(version)?.text ?? 'never sent';
          documents.publish(one.path, one.versioned ? version : undefined, [about]);
        }
        for (const file of ['a', 'b', 'c']) {
          const [about] = documents.published(file)?.items ?? [];
          if (about !== undefined) expect(about).toBe(documents.text(file));
        }
      }
    }),
  );
});

test('after anything else has changed, an unchanged text is sent again on request', () => {
  const documents = new Documents<string>();
  expect(documents.set('a', 'x', { afresh: true })).toEqual({ type: 'open', version: 1 });
  expect(documents.set('a', 'x', { afresh: true })).toEqual({ type: 'none', version: 1 });
  documents.publish('a', 1, ['old']);
  documents.worldChanged();
  expect(documents.set('a', 'x', { afresh: false })).toEqual({ type: 'none', version: 1 });
  expect(documents.set('a', 'x', { afresh: true })).toEqual({ type: 'reopen', version: 2 });
  expect(documents.published('a')).toBeUndefined();
  documents.publish('a', 1, ['late']);
  expect(documents.published('a')).toBeUndefined();
  documents.publish('a', 2, ['new']);
  expect(documents.published('a')?.items).toEqual(['new']);
});
