import { link, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-context.ts';

const tree = {
  '.env': 'KEY=canary\n',
  'config/deep/secrets.yml': 'key: canary\n',
  'a/b/c/d/e/f/.env': 'KEY=canary\n',
  '.ssh/config': 'Host canary\n',
  'node_modules/a/index.js': 'canary\n',
  'notes.md': 'no canary\n',
};

async function place(options: Parameters<typeof bench>[1] = {}) {
  const space = await bench(tree, options);
  const twin = (from: string, to: string) => link(path.join(space.root, from), path.join(space.root, to));
  return { ...space, twin, files: space.context.files };
}

describe('[P08] [X05] a hard link to a secret file', () => {
  test.each(['.env', 'config/deep/secrets.yml', 'a/b/c/d/e/f/.env', '.ssh/config'])(
    'of %s is neither read, written nor searched',
    async (secret) => {
      const { files, twin, context, tree: standing } = await place();
      const before = await standing();
      await twin(secret, 'harmless.txt');
      await expect(files.read('harmless.txt')).rejects.toThrow(
        /^Permission denied: read harmless\.txt \(it is another name of a protected file: /,
      );
      await expect(files.readLines('harmless.txt', { offset: 0, limit: 1 })).rejects.toThrow(/another name/);
      await expect(files.write('harmless.txt', Buffer.from('x'))).rejects.toThrow(/another name/);

      const { signal } = new AbortController();
      for (const mode of ['content', 'files', 'count'] as const) {
        const query = { pattern: 'canary', glob: '*.txt', mode };
        expect((await context.search.grep(query, { limit: 10, signal })).lines).toEqual([]);
      }
      await expect(
        context.search.grep(
          { pattern: 'canary', path: 'harmless.txt', mode: 'content' },
          { limit: 1, signal },
        ),
      ).rejects.toThrow(/another name/);
      expect(await standing()).toEqual({ ...before, 'harmless.txt': before[secret] });
    },
  );

  test('of a secret in the home folder is closed as well', async () => {
    const { root, home } = await bench();
    await mkdir(path.join(home, '.ssh'));
    await writeFile(path.join(home, '.ssh/id_ed25519'), 'canary');
    await link(path.join(home, '.ssh/id_ed25519'), path.join(root, 'a.txt'));
    const { context } = await bench({}, { home, additionalDirectories: [root] });
    await expect(context.files.read(path.join(root, 'a.txt'))).rejects.toThrow(/another name/);
  });

  test('is detected even if created after the last scan', async () => {
    const { files, twin } = await place();
    await twin('notes.md', 'other.md');
    expect(Buffer.from((await files.read('other.md')).bytes).toString()).toBe('no canary\n');
    await twin('.env', 'late.txt');
    await expect(files.read('late.txt')).rejects.toThrow(/another name/);
  });

  test('harmless files with two names stay open, including those of packages', async () => {
    const { files, twin } = await place();
    await twin('notes.md', 'notes-2.md');
    await twin('node_modules/a/index.js', 'node_modules/a/copy.js');
    await files.write('notes-2.md', Buffer.from('new'));
    expect(Buffer.from((await files.read('notes.md')).bytes).toString()).toBe('new');
    expect((await files.read('node_modules/a/copy.js')).bytes.length).toBe(7);
  });

  test('is open if the user opened the secret itself', async () => {
    const { files, twin } = await place({ allowedPaths: ['.env'] });
    await twin('.env', 'harmless.txt');
    expect(Buffer.from((await files.read('harmless.txt')).bytes).toString()).toBe('KEY=canary\n');
  });

  test('is the only name left: then it cannot be distinguished from others', async () => {
    const { root, files, twin } = await place();
    await twin('.env', 'a.txt');
    await rename(path.join(root, '.env'), path.join(root, 'b.txt'));
    expect((await files.read('a.txt')).bytes.length).toBe(11);
  });
});
