import { expect, test } from 'vitest';
import { secretBecause } from '../src/permissions/rules/secret-names.ts';
import { secretRules } from '../src/sandbox/secrets.ts';

const isCalledSecret = (file: string) => secretBecause(file) !== null;

test('[P08] what the path guard keeps closed is not printed by a free command either', () => {
  const hits = secretRules.flatMap(({ examples }) => examples.hits);
  expect(hits.filter((file) => !isCalledSecret(file))).toEqual([]);
});

test('[Y08] what the path guard opens is free for commands, too', () => {
  const misses = secretRules.flatMap(({ examples }) => examples.misses);
  expect(misses.filter(isCalledSecret)).toEqual([]);
});
