import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReadText } from './imports.ts';
import { splitImports } from './imports.ts';
import { findInstructions, foldersDown } from './instructions.ts';

const reader =
  (files: Record<string, string>): ReadText =>
  async (file) => {
    const text = files[file];
    if (file.startsWith('/outside')) return { type: 'refused', because: 'it is outside /repo' };
    return text === undefined ? { type: 'missing' } : { type: 'text', text, real: file };
  };
const disk = (files: Record<string, string>, read = reader(files)) => ({
  read,
  list: () => [],
  home: '/home/me',
  sent: { files: new Set<string>(), texts: new Set<string>() },
});
const places = { dataRoot: '/home/me/.ai-assistant', others: [], repository: '/repo', cwd: '/repo/pkg/app' };

test("the user's own come first, then the repository root and each folder down to the working directory", async () => {
  const files = {
    '/home/me/.ai-assistant/AGENTS.md': 'mine',
    '/home/me/.ai-assistant/instructions.md': 'mine, too',
    '/repo/AGENTS.md': 'root',
    '/repo/CLAUDE.md': ' root\n',
    '/repo/pkg/CLAUDE.md': 'package',
    '/repo/pkg/app/.ai-assistant/instructions.md': 'app',
    '/elsewhere/AGENTS.md': 'never',
  };
  const { instructions, notices } = await findInstructions(places, disk(files));
  expect(instructions.map(({ text }) => text)).toEqual(['mine', 'mine, too', 'root', 'package', 'app']);
  expect(notices).toEqual([]);
});

test('imports are resolved, five levels deep, not in code, without cycles, and only within the folder', async () => {
  const files = {
    '/repo/AGENTS.md':
      'See @docs/style.md. Not `@docs/style.md`, not me@docs.md.\n```\n@docs/style.md\n```\n@../outside.md\n@missing.md',
    '/repo/docs/style.md': 'Tabs. @../AGENTS.md\n',
    '/outside.md': 'never',
  };
  const { instructions, notices } = await findInstructions({ ...places, cwd: '/repo' }, disk(files));
  expect(instructions[0]?.text).toBe(
    'See Tabs. @../AGENTS.md. Not `@docs/style.md`, not me@docs.md.\n```\n@docs/style.md\n```\n@../outside.md\n@missing.md',
  );
  expect(notices).toEqual([
    'Skipped ../AGENTS.md, imported by /repo/docs/style.md: it imports itself.',
    'Skipped ../outside.md, imported by /repo/AGENTS.md: it is outside /repo.',
    'Skipped missing.md, imported by /repo/AGENTS.md: there is no such file.',
  ]);
});

test('imports stop at the fifth level', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`/repo/${i === 0 ? 'AGENTS' : i}.md`, `level ${i} @${i + 1}.md`]),
  );
  const { instructions, notices } = await findInstructions({ ...places, cwd: '/repo' }, disk(files));
  expect(instructions[0]?.text).toBe('level 0 level 1 level 2 level 3 level 4 level 5 @6.md');
  expect(notices).toEqual(['Skipped 6.md, imported by /repo/5.md: imports are nested more than 5 deep.']);
});

test('files that import each other repeatedly are limited, with a notice', {
  timeout: 5000,
}, async () => {
  const next = (i: number) => `@${i + 1}.md\n`.repeat(200);
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [`/repo/${i === 0 ? 'AGENTS' : i}.md`, i < 5 ? next(i) : 'end']),
  );
  let reads = 0;
  const counting: ReadText = (file, owner) => {
    reads += 1;
    return reader(files)(file, owner);
  };
  const { instructions, notices } = await findInstructions(
    { ...places, cwd: '/repo' },
    disk(files, counting),
  );
  expect(reads).toBeLessThan(150);
  expect(instructions[0]?.text).toMatch(/^end\n@5\.md\n/);
  expect(notices).toEqual(['The instructions have more than 100 imports; only the first 100 are used.']);
});

test('a long file with much code and many imports is parsed quickly', { timeout: 5000 }, () => {
  const imports = splitImports('`x` @a.md\n'.repeat(50_000)).filter(({ type }) => type === 'import');
  expect(imports.length).toBe(50_000);
});

test('at most 32 KB per file and 64 KB in total, nearest first; omissions are reported', async () => {
  const long = 'é'.repeat(20 * 1024);
  const files = {
    '/repo/AGENTS.md': 'root',
    '/repo/CLAUDE.md': `a${long}`,
    '/repo/pkg/AGENTS.md': `b${long}`,
    '/repo/pkg/app/AGENTS.md': long,
  };
  const { instructions, notices } = await findInstructions(places, disk(files));
  expect(instructions.map(({ file, text }) => [file, Buffer.byteLength(text)])).toEqual([
    ['/repo/pkg/AGENTS.md', 32_767],
    ['/repo/pkg/app/AGENTS.md', 32_768],
  ]);
  const caps = 'the limits are 32 KB per file and 64 KB in total.';
  expect(notices).toEqual([
    `/repo/pkg/app/AGENTS.md: only the first 32 KB are used; ${caps}`,
    `/repo/pkg/AGENTS.md: only the first 32 KB are used; ${caps}`,
    `/repo/CLAUDE.md: skipped; ${caps}`,
    `/repo/AGENTS.md: skipped; ${caps}`,
  ]);
});

test('a text split into pieces and imports can be joined to the same text', () => {
  const words = fc.constantFrom(
    '@a.md',
    '`@b.md`',
    'word',
    '\n',
    ' ',
    '```\n',
    '`',
    '@',
    'x@y.md',
    '@c/d.txt,',
    '~~~\n',
  );
  fc.assert(
    fc.property(fc.array(words), (list) => {
      const text = list.join('');
      expect(
        splitImports(text)
          .map((piece) => (piece.type === 'text' ? piece.text : piece.written))
          .join(''),
      ).toBe(text);
    }),
  );
});

test('folders go from the outermost to the innermost', () => {
  expect(foldersDown('/a', '/a/b/c')).toEqual(['/a', '/a/b', '/a/b/c']);
  expect(foldersDown('/a', '/a')).toEqual(['/a']);
  expect(foldersDown('/x', '/a/b')).toEqual(['/a/b']);
});
