import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configSchema, issuesIn, settled } from './check-settings.ts';

/** Possible user input: valid and invalid values of known settings, and unknown settings. */
const written = fc.record(
  {
    model: fc.oneof(fc.string(), fc.nat()),
    maxTurns: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constant('many')),
    permissions: fc.record({ allow: fc.array(fc.string()), other: fc.boolean() }, { requiredKeys: [] }),
    sandbox: fc.oneof(fc.constant(7), fc.record({ level: fc.constantFrom('strict', 'no') })),
    providers: fc.dictionary(fc.string(), fc.record({ baseUrl: fc.constantFrom('http://a', 'a') })),
    limits: fc.record({ day: fc.constantFrom('$5', 'five') }, { requiredKeys: [] }),
    strange: fc.anything(),
  },
  { requiredKeys: [] },
);

test('each setting is validated alone as it is with all the others', () => {
  fc.assert(
    fc.property(written, (input) => {
      const whole = configSchema().safeParse(input);
      const places = (issues: readonly { code: string; path: readonly PropertyKey[] }[]) =>
        issues.map(({ code, path }) => ({ code, path }));
      expect(places(issuesIn(input))).toEqual(places(whole.error?.issues ?? []));
      if (whole.success) expect(settled(whole.data)).toEqual(whole.data);
    }),
  );
});
