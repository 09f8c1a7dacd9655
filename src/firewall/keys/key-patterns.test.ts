import { describe, expect, test } from 'vitest';
import { createTextHider } from '../hide-text.ts';
import { createPlaceholders } from '../placeholders.ts';
import { keyPatterns } from './key-patterns.ts';

/** Random-looking values that are not keys: no pattern may match one of these. */
const neverKeys = [
  '2391462b1d0d4c6a9d0f3c2e5a7b8c9d0e1f2a3b',
  'commit e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '123e4567-e89b-12d3-a456-426614174000',
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'https://registry.npmjs.org/@types/node/-/node-20.19.43.tgz',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vb8JKq1v7cX0aB3dE5gH7jK9mN1pQ2rS4tU6vW8x user@host',
  'pk_live_is_public_by_design_1234567890',
  'sk-test',
  'sk-ant-test',
  'AIza-test',
];

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
