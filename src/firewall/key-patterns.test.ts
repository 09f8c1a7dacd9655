import { describe, expect, test } from 'vitest';
import { createTextHider } from './hide-text.ts';
import { keyPatterns, neverKeys } from './key-patterns.ts';
import { createPlaceholders } from './placeholders.ts';

const hide = (text: string) =>
  createTextHider(
    [],
    createPlaceholders(() => 'test'),
  ).hide(text);
const around = (text: string) => [text, `before ${text} after`, `"x": "${text}",\n`, `a=${text}\nb=1`];

describe.each(keyPatterns.map((pattern) => ({ ...pattern, rule: `${pattern.name} (${pattern.hints[0]})` })))(
  '$rule',
  ({ name, hints, ignoreCase, match, examples }) => {
    test('hides its hits wherever they are', () => {
      for (const hit of examples.hits.flatMap(around)) {
        const [, secret = ''] = new RegExp(match.source, match.flags.replace('y', '')).exec(hit) ?? [];
        expect(secret, hit).not.toBe('');
        expect(
          hints.some((hint) => (ignoreCase ? hit.toLowerCase() : hit).includes(hint)),
          `a hint is in ${hit}`,
        ).toBe(true);
        expect(hide(hit)).not.toContain(secret);
        expect(hide(hit)).toMatch(/\[secret:[\w-]+:[0-9a-f]{8}\]/);
      }
      expect(hide(examples.hits[0] ?? '')).toContain(`[secret:${name}:`);
    });

    test('leaves its misses alone', () => {
      for (const miss of examples.misses.flatMap(around)) expect(hide(miss)).toBe(miss);
    });
  },
);

test('values that only look random stay: hashes, ids, images, public keys, fixtures', () => {
  for (const text of neverKeys.flatMap(around)) expect(hide(text)).toBe(text);
});
