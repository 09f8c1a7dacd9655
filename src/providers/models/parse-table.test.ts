import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../contract/errors.ts';
import { presets } from '../presets.ts';
import { builtIn } from './models-data.ts';
import { parseTable } from './parse-table.ts';

const providers = presets.map(({ name }) => name);

test('the built-in table is a valid one', () => {
  expect(parseTable(JSON.stringify(builtIn), providers)).toEqual(builtIn);
});

test('property: any other text is refused with an explanation', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(() => parseTable(text, providers)).toThrow(UserError);
    }),
  );
});

test('property: a table with one value replaced is valid, or refused with an explanation', () => {
  const rows = Object.entries(builtIn.models).flatMap(([provider, models]) =>
    Object.keys(models).map((id) => [provider, id] as const),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...rows),
      fc.constantFrom('window', 'output', 'usd', 'can', 'long', 'effort', 'changes', 'retired', 'more'),
      fc.jsonValue(),
      ([provider, id], field, value) => {
        const table = structuredClone(builtIn) as unknown as {
          models: Record<string, Record<string, object>>;
        };
        Object.assign(table.models[provider]?.[id] ?? {}, { [field]: value });
        try {
          expect(parseTable(JSON.stringify(table), providers)).toEqual(table);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      },
    ),
  );
});
