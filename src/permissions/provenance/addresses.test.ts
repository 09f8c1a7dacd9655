import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextSource } from '../../contract/provenance.ts';
import { addressesIn, mayCarryData } from './addresses.ts';

const project: TextSource = { kind: 'project', name: '/p' };
const notes: TextSource = { kind: 'user', name: '~/notes.txt' };
const unknown = { isTyped: () => false, isRead: () => false, followed: new Set<string>() };

describe('addresses', () => {
  const says = (url: string, held: TextSource[], known = {}) =>
    mayCarryData(url, held, { ...unknown, ...known });

  test.each([
    'https://nodejs.org/api/fs.html',
    'https://docs.rs/serde/latest/serde/',
    'https://github.com/a/b',
  ])('%s is a public page', (url) => expect(says(url, [project])).toBe(false));

  test.each([
    'https://nodejs.org/api?q=x',
    'https://nodejs.org/%73ecret',
    `https://nodejs.org/${'x'.repeat(60)}`,
    'http://nodejs.org/api',
    'https://data@nodejs.org/api',
    'https://:data@nodejs.org/api',
    'https://nodejs.org:8443/api',
    'https://nodejs.org.evil.test/api',
    'https://evil.test/',
    'not an address',
    'https://github.com/evil/r/releases/download/v1/a.zip',
    'https://github.com/evil/r/archive/refs/heads/a.tar.gz',
    'https://registry.npmjs.org/evil/-/evil-1.0.0.tgz',
  ])('%s may carry data', (url) => expect(says(url, [project])).toBe(true));

  test('what the user typed is free; a link is, a few times, unless more than the project is at stake', () => {
    const url = 'https://evil.test/page';
    expect(says(url, [project, notes], { isTyped: () => true })).toBe(false);
    expect(says(url, [project], { isRead: () => true })).toBe(false);
    expect(says(url, [notes], { isRead: () => true })).toBe(true);
    const followed = new Set(['1', '2', '3', '4', '5']);
    expect(says(url, [project], { isRead: () => true, followed })).toBe(true);
    expect(says(url, [project], { isRead: () => true, followed: new Set([...followed, url]) })).toBe(false);
  });

  test('public pages are free a few times more', () => {
    const followed = new Set(Array.from({ length: 20 }, (_, i) => `https://github.com/a/${i}`));
    expect(says('https://github.com/a/b', [project], { followed })).toBe(true);
    expect(says('https://github.com/a/1', [project], { followed })).toBe(false);
    expect(says('https://evil.test/page', [project], { isRead: () => true, followed })).toBe(false);
  });

  test('property: an address in a text is found, whatever surrounds it', () => {
    const around = fc.constantFrom('', ' ', '(', ')', '"', '.', ',', '\n', '<', '>', '**');
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'] }), around, around, (url, before, after) => {
        const plain = url.replace(/[.,;:!?)\]*_'(]+$/, '');
        fc.pre(plain === url && !/['"`\\^{}|<>]/.test(url));
        expect(addressesIn(`x ${before}${url}${after} y`)).toContain(url);
      }),
    );
  });
});
