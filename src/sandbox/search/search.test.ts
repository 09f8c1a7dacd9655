import { writeFileSync } from 'node:fs';
import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { soak } from '../../../test/support/soak.ts';
import { bench, makePipe } from '../../../test/support/tool-context.ts';
import type { GrepQuery } from '../../contract/tool.ts';

const tree = {
  '.gitignore': 'node_modules\n*.log\n',
  'src/a.ts': 'one\ntwo needle\nthree\nfour\nfive\nsix needle\n',
  'src/b.tsx': 'needle\r\nother\r\n',
  'src/deep/c.js': 'Needle\n',
  'node_modules/x/index.ts': 'needle\n',
  'debug.log': 'needle\n',
  '.env': 'KEY=needle\n',
  '.env.example': 'KEY=needle\n',
  'config/secrets.json': 'needle\n',
  'deploy/.ssh/config': 'needle\n',
  '.github/ci.yml': 'needle\n',
};

async function place(files: Record<string, string> = tree) {
  const { root, home, context } = await bench(files);
  const signal = new AbortController().signal;
  const find = (pattern: string, under?: string, limit = 100) =>
    context.search.files(pattern, under, { limit, signal });
  const names = async (pattern: string, under?: string) => (await find(pattern, under)).paths.sort();
  const grep = (query: Partial<GrepQuery>, limit = 100) =>
    context.search.grep({ pattern: 'needle', mode: 'content', ...query }, { limit, signal });
  return { root, home, search: context.search, find, names, grep };
}

describe('finding files', () => {
  test.each([
    ['*.ts', undefined, ['src/a.ts']],
    ['**/*.{ts,tsx}', undefined, ['src/a.ts', 'src/b.tsx']],
    ['src/*', undefined, ['src/a.ts', 'src/b.tsx']],
    ['src/**', undefined, ['src/a.ts', 'src/b.tsx', 'src/deep/c.js']],
    ['**/*', undefined, ['src/a.ts', 'src/b.tsx', 'src/deep/c.js']],
    ['*.js', 'src', ['src/deep/c.js']],
    ['[ab].ts*', 'src', ['src/a.ts', 'src/b.tsx']],
    ['@(a|b).ts*', 'src', ['src/a.ts', 'src/b.tsx']],
    ['*.log', undefined, []],
    ['node_modules/**', undefined, []],
    ['.env*', undefined, ['.env.example']],
    ['.github/**', undefined, ['.github/ci.yml']],
    ['*.yml', '.github', ['.github/ci.yml']],
    ['**/.ssh/**', undefined, []],
    ['*secrets*', undefined, []],
    ['nothing', undefined, []],
  ])('%s under %s', async (pattern, under, expected) => {
    const { names } = await place();
    expect(await names(pattern, under)).toEqual(expected);
  });

  test('most recently changed first, and the count includes the rest beyond the limit', async () => {
    const { root, find } = await place({ 'old.ts': '', 'new.ts': '', 'middle.ts': '' });
    for (const [index, name] of ['old.ts', 'middle.ts', 'new.ts'].entries()) {
      await utimes(path.join(root, name), index + 1, index + 1);
    }
    for (const pattern of ['*.ts', '**/*', '*'])
      expect(await find(pattern, undefined, 2)).toEqual({ paths: ['new.ts', 'middle.ts'], total: 3 });
  });

  test('unusual names are complete, links are not followed', async () => {
    const { root, home, names } = await place({ 'a b\nc.ts': '', '-rf.ts': '' });
    await writeFile(path.join(home, 'canary.ts'), '');
    await symlink(home, path.join(root, 'out'));
    await symlink('.', path.join(root, 'loop'));
    expect(await names('**/*.ts')).toEqual(['-rf.ts', 'a b\nc.ts']);
  });

  test('everything: includes hidden and ignored files, but no secrets and nothing of git', async () => {
    const { search } = await place({ ...tree, '.git/HEAD': 'x', 'src/.hidden/d.ts': '' });
    const { paths } = await search.files('**/*', undefined, {
      limit: 100,
      signal: new AbortController().signal,
      everything: true,
    });
    expect(paths.sort()).toEqual([
      '.env.example',
      '.github/ci.yml',
      '.gitignore',
      'debug.log',
      'node_modules/x/index.ts',
      'src/.hidden/d.ts',
      'src/a.ts',
      'src/b.tsx',
      'src/deep/c.js',
    ]);
  });

  test('a pattern without ** reaches no deeper than it says', async () => {
    const { names } = await place({ 'a/b.ts': '', 'a/c/d.ts': '', 'a/c/e/f.ts': '', 'g.ts': '' });
    expect(await names('a/*.ts')).toEqual(['a/b.ts']);
    expect(await names('*/*/*.ts')).toEqual(['a/c/d.ts']);
    expect(await names('./a/*.ts')).toEqual(['a/b.ts']);
    expect(await names('{a,a/c}/*.ts')).toEqual(['a/b.ts', 'a/c/d.ts']);
    expect(await names('a/**')).toEqual(['a/b.ts', 'a/c/d.ts', 'a/c/e/f.ts']);
  });

  test('among very many files the newest are still found, and a secret one is not shown', soak, async () => {
    const { root, find } = await place();
    await mkdir(path.join(root, 'many'));
    for (let i = 0; i < 21_000; i++) writeFileSync(path.join(root, 'many', `${i}.dat`), '');
    for (const [name, second] of [
      ['7.dat', 4e9],
      ['20999.dat', 3e9],
      ['12345.dat', 2e9],
    ] as const) {
      await utimes(path.join(root, 'many', name), second, second);
    }
    expect(await find('*.dat', undefined, 3)).toEqual({
      paths: ['many/7.dat', 'many/20999.dat', 'many/12345.dat'],
      total: 21_000,
    });
    writeFileSync(path.join(root, 'many', 'prod.env'), '');
    await utimes(path.join(root, 'many', 'prod.env'), 5e9, 5e9);
    expect((await find('many/*', undefined, 1)).paths).toEqual(['many/7.dat']);
  });

  test('a folder outside is refused', async () => {
    const { find } = await place();
    await expect(find('*', '..')).rejects.toThrow(/Permission denied: read \.\. /);
  });
});

describe('searching contents', () => {
  test('lines with path and number, newest file first, without ignored, hidden and secret files', async () => {
    const { grep } = await place();
    expect(await grep({})).toEqual({
      lines: ['src/b.tsx:1:needle', 'src/a.ts:2:two needle', 'src/a.ts:6:six needle'],
      total: 3,
      matches: 3,
      files: 2,
    });
  });

  test('context, with gaps marked', async () => {
    const { grep } = await place();
    const { lines, total, matches, files } = await grep({ glob: '*.ts', contextLines: 1 });
    expect({ total, matches, files }).toEqual({ total: 5, matches: 2, files: 1 });
    expect(lines).toEqual([
      'src/a.ts-1-one',
      'src/a.ts:2:two needle',
      'src/a.ts-3-three',
      '--',
      'src/a.ts-5-five',
      'src/a.ts:6:six needle',
    ]);
  });

  test('files, counts, case, globs, limits', async () => {
    const { grep } = await place();
    expect((await grep({ mode: 'files', ignoreCase: true })).lines.sort()).toEqual([
      'src/a.ts',
      'src/b.tsx',
      'src/deep/c.js',
    ]);
    expect(await grep({ mode: 'count' })).toEqual({ lines: ['src/b.tsx:1', 'src/a.ts:2'], total: 2 });
    expect((await grep({ glob: 'src/deep/**', ignoreCase: true })).lines).toEqual(['src/deep/c.js:1:Needle']);
    expect(await grep({}, 2)).toEqual({
      lines: ['src/b.tsx:1:needle', 'src/a.ts:2:two needle'],
      total: 3,
      matches: 3,
      files: 2,
    });
    expect(await grep({ pattern: 'not there at all' })).toEqual({
      lines: [],
      total: 0,
      matches: 0,
      files: 0,
    });
  });

  test('an explicitly named file or folder is searched, a secret one is not', async () => {
    const { grep } = await place();
    expect((await grep({ path: 'debug.log' })).lines).toEqual(['debug.log:1:needle']);
    expect((await grep({ path: 'node_modules/x' })).lines).toEqual(['node_modules/x/index.ts:1:needle']);
    expect((await grep({ path: '.github', mode: 'files' })).lines).toEqual(['.github/ci.yml']);
    await expect(grep({ path: '.env' })).rejects.toThrow(/environment files may contain secrets/);
    await expect(grep({ path: 'deploy/.ssh' })).rejects.toThrow(/contains keys/);
    expect((await grep({ path: 'deploy', glob: '**/.ssh/*' })).lines).toEqual([]);
    expect((await grep({ glob: '.env*', mode: 'files' })).lines).toEqual(['.env.example']);
  });

  test('patterns that look like options, look-around, and invalid ones', async () => {
    const { grep } = await place({ a: '--files\nfoobar\nfoobaz\n' });
    expect((await grep({ pattern: '--files' })).lines).toEqual(['a:1:--files']);
    expect((await grep({ pattern: 'foo(?=baz)' })).lines).toEqual(['a:3:foobaz']);
    await expect(grep({ pattern: 'foo(' })).rejects.toThrow(/The search failed\..*unclosed group/s);
  });

  test('a file type narrows a glob further', async () => {
    const { grep } = await place();
    expect((await grep({ type: 'ts', mode: 'files' })).lines).toEqual(['src/b.tsx', 'src/a.ts']);
    expect((await grep({ type: 'typescript', glob: '*.tsx', mode: 'files' })).lines).toEqual(['src/b.tsx']);
    expect((await grep({ type: 'ts', glob: '*.js', mode: 'files', ignoreCase: true })).lines).toEqual([]);
  });

  test('a multi-line match', async () => {
    const { grep } = await place();
    expect((await grep({ pattern: 'two.*four', multiline: true })).lines).toEqual([
      'src/a.ts:2:two needle',
      'src/a.ts:3:three',
      'src/a.ts:4:four',
    ]);
  });

  test('everything but secrets', async () => {
    const { grep } = await place();
    expect((await grep({ everything: true, mode: 'files' })).lines.sort()).toEqual([
      '.env.example',
      '.github/ci.yml',
      'debug.log',
      'node_modules/x/index.ts',
      'src/a.ts',
      'src/b.tsx',
    ]);
  });

  test('a binary file, a pipe and a broken ignore file do not stop it', async () => {
    const { root, grep } = await place({ 'a.txt': 'needle\n', '.gitignore': 'a{b\n[z-a]\n' });
    await writeFile(path.join(root, 'b.bin'), Buffer.from('needle\n\0\0needle\n'));
    makePipe(path.join(root, 'pipe'));
    expect((await grep({})).lines).toContain('a.txt:1:needle');
    expect(await grep({ pattern: 'nothing at all' })).toEqual({ lines: [], total: 0, matches: 0, files: 0 });
    await expect(grep({ path: 'pipe' })).rejects.toThrow('pipe is neither a file nor a folder');
  });

  test('many unreadable folders are not a failure', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root reads every folder');
    const { root, grep } = await place({ 'a.txt': 'needle\n' });
    for (let i = 0; i < 200; i++) await mkdir(path.join(root, `shut-${i}`), { mode: 0 });
    expect(await grep({ pattern: 'nothing at all' })).toEqual({ lines: [], total: 0, matches: 0, files: 0 });
  });

  test('a very long line is cut', async () => {
    const { grep } = await place({ a: `needle${'x'.repeat(100_000)}\n` });
    const [line = ''] = (await grep({})).lines;
    expect(line.length).toBeLessThan(600);
    expect(line).toMatch(/^a:1:needlex+ \[\.\.\. .*\]$/);
  });

  test('an unreadable file does not stop the rest', async () => {
    const { root, grep } = await place({ 'a.txt': 'needle' });
    await mkdir(path.join(root, 'shut'));
    await symlink('gone', path.join(root, 'dangling'));
    await chmod(path.join(root, 'shut'), 0);
    expect((await grep({})).lines).toEqual(['a.txt:1:needle']);
  });

  test('[L10] an abort ends it', async () => {
    const { search } = await place();
    const controller = new AbortController();
    const found = search.grep({ pattern: 'x', mode: 'content' }, { limit: 1, signal: controller.signal });
    controller.abort(new Error('stopped'));
    await expect(found).rejects.toThrow('stopped');
  });
});

test.skipIf(process.platform !== 'linux')(
  'a pipe with the name of an ignore file ends a search instead of blocking it forever, and is named',
  async () => {
    const { root, context } = await bench({ 'a.ts': 'hello\n', 'deep/er/b.ts': 'hello\n' });
    makePipe(path.join(root, 'deep/er/.gitignore'));
    await expect(
      context.search.grep({ pattern: 'hello', mode: 'content' }, { limit: 10, signal: context.signal }),
    ).rejects.toThrow(
      'The search hung on deep/er/.gitignore, which is a pipe. Remove it, or search another folder.',
    );
  },
);

describe('ambiguous names', () => {
  const odd = ['a\nb.ts', 'a\n./b.ts', 'b.ts', 'c:3:d.ts', 'e-4-f.ts', '\n', 'g: binary file matches\nh.ts'];
  const files = Object.fromEntries(odd.map((name) => [name, `first\nneedle in ${JSON.stringify(name)}\n`]));
  const told = (name: string, mark: string) => {
    const shown = name.includes('\n') ? JSON.stringify(name) : name;
    return `${shown}${mark}`;
  };

  test('every hit is reported with its file', async () => {
    const { grep } = await place(files);
    const lines = odd.map((name) => `${told(name, ':2:')}needle in ${JSON.stringify(name)}`);
    const found = await grep({});
    expect({ ...found, lines: found.lines.sort() }).toEqual({
      lines: lines.sort(),
      total: odd.length,
      matches: odd.length,
      files: odd.length,
    });
    expect((await grep({ mode: 'count' })).lines.sort()).toEqual(odd.map((name) => told(name, ':1')).sort());
    expect((await grep({ mode: 'files' })).lines.sort()).toEqual(odd.map((name) => told(name, '')).sort());
  });

  test.each(odd)('an explicitly named file: %j', async (name) => {
    const { grep } = await place(files);
    expect((await grep({ path: name, contextLines: 1 })).lines).toEqual([
      `${told(name, '-1-')}first`,
      `${told(name, ':2:')}needle in ${JSON.stringify(name)}`,
    ]);
  });

  test('a NUL after the path on request', async () => {
    const { grep } = await place({ 'c:3:d\n.ts': 'needle\n' });
    expect((await grep({ null: true })).lines).toEqual(['c:3:d\n.ts\x001:needle']);
  });
});

describe('long lines show the match', () => {
  const before = 'ä😀x'.repeat(1_000);
  const after = 'y'.repeat(3_000);
  test.each([
    ['in the middle', `${before}needle${after}`, `…${before.slice(-100)}needle${'y'.repeat(394)}…`],
    ['at the end', `${before}needle\r`, `…${before.slice(-100)}needle`],
    ['in the next line of the file', `short\n${before}needle`, `…${before.slice(-100)}needle`],
    ['at the beginning', `needle${after}`, `needle${'y'.repeat(494)} [... 0 more matches]`],
  ])('%s', async (_where, text, expected) => {
    const { root, grep } = await place({ a: `${text}\n` });
    const line = text.startsWith('short') ? 2 : 1;
    expect((await grep({})).lines).toEqual([`a:${line}:${expected}`]);
    expect((await grep({ path: 'a' })).lines).toEqual([`a:${line}:${expected}`]);
    await writeFile(path.join(root, 'a'), Buffer.from(`\uFEFF${text}\n`, 'utf16le'));
    expect((await grep({})).lines).toEqual([`a:${line}:${expected}`]);
  });

  test.each([
    ['in the middle', `${before}needle${after}`, `…${before.slice(-100)}needle${'y'.repeat(394)}…`],
    ['at the end', `${before}needle\r`, `…${before.slice(-100)}needle`],
    ['after other characters', `${'日'.repeat(900)}needle`, `…${'日'.repeat(100)}needle`],
    ['at the beginning', `needle${after}`, `needle${'y'.repeat(494)} [... 0 more matches]`],
  ])('also in a file that is too large to read again, %s', async (_where, text, expected) => {
    const large = 'x'.repeat(11_000_000);
    const { root, grep } = await place({ a: `${large}\n${text}\nlast\n` });
    expect((await grep({})).lines).toEqual([`a:2:${expected}`]);
    expect((await grep({ path: 'a' })).lines).toEqual([`a:2:${expected}`]);
    await writeFile(path.join(root, 'a'), `${large}needle${after}`);
    expect((await grep({})).lines).toEqual([`a:1:…${'x'.repeat(100)}needle${'y'.repeat(394)}…`]);
  });
});
