import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInside } from '../../lib/paths/inside.ts';
import { closedFolders } from './closed-folders.ts';

const files = (...paths: string[]) => paths.map((path) => ({ path, type: 'file' as const }));
const pathsOf = (closed: readonly { path: string }[]) => closed.map(({ path }) => path).sort();

test('a few are closed one by one', () => {
  const closed = files('/p/.env', '/p/a/.env', '/home/x');
  expect(closedFolders(closed, { roots: ['/p'], most: 3 })).toEqual({ closed, folders: [] });
});

test('of many, the fullest folders are closed as a whole', () => {
  const keys = Array.from({ length: 20 }, (_, i) => `/p/test/keys/${i}.key`);
  const { closed, folders } = closedFolders(files('/p/.env', '/p/a/.env', ...keys), {
    roots: ['/p'],
    most: 5,
  });
  expect(pathsOf(closed)).toEqual(['/p/.env', '/p/a/.env', '/p/test/keys']);
  expect(folders).toEqual(['/p/test/keys']);
});

test('of many in folders of their own, those above are closed', () => {
  const one = Array.from({ length: 3_000 }, (_, i) => `/p/a${i % 30}/b${i}/.env`);
  const { closed, folders } = closedFolders(files('/p/.env', ...one), { roots: ['/p'], most: 100 });
  expect(folders).toHaveLength(30);
  expect(pathsOf(closed)).toEqual(['/p/.env', ...Array.from({ length: 30 }, (_, i) => `/p/a${i}`)].sort());
});

test('property: everything stays closed, no root is, and what is outside the roots stays as it was', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const file = fc
    .tuple(fc.constantFrom('/p', '/q/r', '/out'), fc.array(name, { maxLength: 5 }), fc.nat(9))
    .map(([root, folders, at]) => [root, ...folders, `${at}.key`].join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(file, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (paths, most) => {
      const roots = ['/p', '/q/r'];
      const { closed, folders } = closedFolders(files(...paths), { roots, most });
      const places = pathsOf(closed);
      for (const one of paths) expect(places.some((place) => isInside(place, one))).toBe(true);
      expect(places.filter((place) => roots.some((root) => isInside(place, root)))).toEqual([]);
      expect(places.filter((place) => place.startsWith('/out'))).toEqual(
        paths.filter((one) => one.startsWith('/out')).sort(),
      );
      const atTop = paths.filter((one) => /^(\/p|\/q\/r|\/out(\/\w)*)\/[^/]+$/.test(one)).length;
      // What is directly in a root can only be closed by itself, and so can four folders.
      expect(places.length).toBeLessThanOrEqual(Math.max(most, atTop + 8));
      expect(folders.every((folder) => places.includes(folder))).toBe(true);
    }),
  );
});
