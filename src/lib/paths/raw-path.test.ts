import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nativePath, pathFromBytes } from './raw-path.ts';

test('property: every byte name round-trips, including through JSON', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const path = JSON.parse(JSON.stringify(pathFromBytes(Buffer.from(bytes)))) as string;
      expect(Buffer.from(nativePath(path) as string)).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 1000 },
  );
});

test('a valid name is unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const name = Buffer.from(text).toString();
      expect(pathFromBytes(Buffer.from(name))).toBe(name);
    }),
  );
  for (const name of ['caf\u00e9', '\u{1f680}', '\ufffd']) expect(nativePath(name).toString()).toBe(name);
});
