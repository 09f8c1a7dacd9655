import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Only the binary project runs these. */
const WITH_BINARY = /journeys\/(install|binary)\.test\.ts$/;
/** Written so that the tag is not taken for one of this file. */
const SOAK_FILE = /^\/\/ @module.tag soak/;
const SOAK_TITLE = /test\(\s*(['"`])(?:(?!\1).)*\1,\s*(?:soak|\{ \.\.\.soak)/g;
const ID = /\[[A-Z]\d\d\]/g;

/** What takes 10,000 messages to show. */
const SOAK_ONLY = ['N09'];

test('every requirement that a test names is tested by `npm test`', async () => {
  const all = new Set<string>();
  const usual = new Set<string>();
  for (const folder of ['src', 'test']) {
    for (const name of await readdir(folder, { recursive: true })) {
      const file = path.join(folder, name);
      if (!file.endsWith('.test.ts')) continue;
      const text = await readFile(file, 'utf8');
      for (const id of text.match(ID) ?? []) all.add(id);
      if (SOAK_FILE.test(text) || WITH_BINARY.test(file)) continue;
      for (const id of text.replaceAll(SOAK_TITLE, '').match(ID) ?? []) usual.add(id);
    }
  }
  expect(all.size).toBeGreaterThan(150);
  expect([...all].filter((id) => !usual.has(id)).map((id) => id.slice(1, -1))).toEqual(SOAK_ONLY);
});
