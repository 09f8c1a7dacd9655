import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { soak } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { createSecretSearch } from './find-secrets.ts';

const isClosed = ({ path: file }: { path: string }) => path.basename(file) === '.env';

/** More folders and files than a search once looked at, and deeper ones; returns those with a secret. */
function fill(root: string): string[] {
  for (let i = 0; i < 4_500; i++) mkdirSync(path.join(root, `p${i % 50}`, `q${i}`), { recursive: true });
  const crowded = path.join(root, 'p0/q0');
  const deep = path.join(root, ...Array.from({ length: 40 }, (_, i) => `d${i}`));
  mkdirSync(deep, { recursive: true });
  const places = [path.join(root, 'p49/q4499'), crowded, deep, path.join(root, 'p0/q4450')];
  for (const place of places) writeFileSync(path.join(place, '.env'), 'CANARY');
  return places.map((place) => path.join(place, '.env')).sort();
}

describe('the search for secrets', () => {
  test('finds them among any number of files, at any depth, and lets other work go on', async () => {
    const { root } = await workspace();
    const secrets = fill(root);
    const search = createSecretSearch({ isClosed });
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    const found = await search(root);
    clearInterval(counting);
    expect(found.secrets.map((one) => one.path).sort()).toEqual(secrets);
    expect(found.unsearched).toEqual([]);
    expect(turns).toBeGreaterThan(3);

    // Found again where it was moved.
    const moved = path.join(root, 'p1/.env');
    renameSync(path.join(root, 'p49/q4499/.env'), moved);
    expect((await search(root)).secrets.map((one) => one.path)).toContain(moved);
  });

  test('says what it did not look at', async () => {
    const { root } = await workspace({ 'a/x': '', 'b/c/x': '', 'top.env': '' });
    const found = await createSecretSearch({ isClosed, limitMs: 0 })(root);
    expect(found.unsearched).toEqual([path.join(root, 'a'), path.join(root, 'b')]);
  });

  test('names folders above them if they are many', async () => {
    const { root } = await workspace();
    for (let i = 0; i < 300; i++) mkdirSync(path.join(root, 'a', `b${i % 2}`, `c${i}`), { recursive: true });
    let looked = 0;
    const slow = () => {
      for (const until = performance.now() + (looked++ < 4 ? 15 : 0); performance.now() < until; );
      return false;
    };
    const found = await createSecretSearch({ isClosed: slow, limitMs: 30 })(root);
    expect(found.unsearched.length).toBeLessThanOrEqual(100);
    const isCovered = (folder: string) =>
      found.unsearched.some((one) => folder === one || folder.startsWith(`${one}/`));
    for (let i = 2; i < 300; i++) expect(isCovered(path.join(root, 'a', `b${i % 2}`, `c${i}`))).toBe(true);
  });
});

describe.skipIf(noBubblewrap !== null)('a command', () => {
  test('cannot read a secret behind many folders', async () => {
    const space = await workspace();
    fill(space.root);
    const { run } = sandboxedShellIn(space);
    expect((await run('cat p49/q4499/.env p0/q0/.env p0/q4450/.env')).stdout).toBe('');
  });

  test('cannot see what was not searched, and the user is told once', async () => {
    const space = await workspace({ 'a/b.txt': 'CANARY', 'top.txt': 'fine' });
    const warned: string[] = [];
    const { run } = sandboxedShellIn(space, { searchMs: 0, warn: (text) => void warned.push(text) });
    expect((await run('cat top.txt; cat a/b.txt')).stdout).toBe('fine');
    expect((await run('cat top.txt')).stdout).toBe('fine');
    expect(warned).toEqual([
      `There was no time to search all folders for secrets. Commands cannot see those left: ${path.join(space.root, 'a')}.`,
    ]);
  });

  test(
    'runs beside more secrets than can be closed one by one, sees none of them, and the user is told',
    soak,
    async () => {
      const space = await workspace({ 'top.txt': 'fine' });
      const keys = path.join(space.root, 'test/keys');
      mkdirSync(keys, { recursive: true });
      for (let i = 0; i < 3_100; i++) writeFileSync(path.join(keys, `${i}.env`), 'CANARY');
      const warned: string[] = [];
      const { run } = sandboxedShellIn(space, { warn: (text) => void warned.push(text) });
      expect((await run('cat top.txt; cat test/keys/*.env')).stdout).toBe('fine');
      expect(warned).toEqual([
        `Too many files have names of secrets. Commands cannot see these folders: ${keys}.`,
      ]);
    },
  );
});
