import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffOf } from './diff-lines.ts';

test('a change has context lines and counts', async () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
  expect(await diffOf('a.txt', before, before.replace('line 10\n', 'ten\nten and a half\n'))).toEqual({
    kind: 'diff',
    path: 'a.txt',
    patch: [
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -7,7 +7,8 @@',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+ten',
      '+ten and a half',
      ' line 11',
      ' line 12',
      ' line 13',
      '',
    ].join('\n'),
    added: 2,
    removed: 1,
  });
});

test('a new file has no old lines, and a missing final newline is reported', async () => {
  expect(await diffOf('new.txt', null, 'a\nb')).toEqual({
    kind: 'diff',
    path: 'new.txt',
    patch: '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
    added: 2,
    removed: 0,
  });
});

test('no change yields no hunk', async () => {
  expect(await diffOf('a', 'x\n', 'x\n')).toEqual({
    kind: 'diff',
    path: 'a',
    patch: '--- a/a\n+++ b/a\n',
    added: 0,
    removed: 0,
  });
});

test('property: the patch turns the old text into the new one', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '-', '+'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, text, fc.nat(12), async (before, after, padding) => {
      const pad = Array.from({ length: padding }, (_, i) => `pad ${i}\n`).join('');
      const [old, young] = [pad + before + pad, pad + after + pad];
      const { patch } = await diffOf('f', old, young);
      expect(applyPatch(old, patch, { autoConvertLineEndings: false })).toBe(young);
    }),
  );
});

test('a small edit of a huge file is fast, an entirely different file is still correct', async () => {
  const lines = (word: string) => Array.from({ length: 100_000 }, (_, i) => `${word} ${i}\n`).join('');
  const before = lines('row');
  const started = performance.now();
  expect(await diffOf('f', before, before.replace('row 50000\n', 'changed\n'))).toMatchObject({
    added: 1,
    removed: 1,
  });
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(await diffOf('f', before, lines('other'))).toMatchObject({ added: 100_000, removed: 100_000 });
});
