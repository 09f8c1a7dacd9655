import { expect, test } from 'vitest';
import { diffOf } from '../../../lib/text/diff-lines.ts';
import { loadHighlighter } from '../markdown/highlight.ts';
import { themeOf } from '../theme/theme.ts';
import type { Line } from '../view/types.ts';
import { diffLines } from './diff-view.ts';

const theme = themeOf('dark', 'truecolor');
const { styles } = theme;
const textOf = (lines: Line[]) => lines.map((line) => line.map(({ text }) => text).join(''));

const before = 'import a;\n\nfunction f() {\n  const total = 1;\n  return total;\n}\n';
const after = 'import a;\n\nfunction f() {\n  const total = 2;\n  return total;\n}\n';

test('[C09] lines have their numbers in the file, under the path and the counts', async () => {
  const lines = diffLines(await diffOf('src/f.ts', before, after), { width: 60, theme });
  expect(textOf(lines)).toEqual([
    'src/f.ts +1 −1',
    '1   import a;',
    '2   ',
    '3   function f() {',
    '4 -   const total = 1;',
    '4 +   const total = 2;',
    '5     return total;',
    '6   }',
  ]);
});

test('within a changed line only the difference is marked', async () => {
  const lines = diffLines(await diffOf('f.txt', before, after), { width: 60, theme });
  expect(lines[5]?.slice(1)).toEqual([
    { text: '+ ', style: styles.added },
    { text: '  const total = ', style: styles.addedText },
    { text: '2', style: { ...styles.addedText, ...styles.addedMark } },
    { text: ';', style: styles.addedText },
  ]);
});

test('lines with little in common have no inner marks', async () => {
  const lines = diffLines(await diffOf('f.txt', 'alpha beta\n', 'something else\n'), { width: 60, theme });
  expect(lines.slice(1).map((line) => line.slice(2))).toEqual([
    [{ text: 'alpha beta', style: styles.removedText }],
    [{ text: 'something else', style: styles.addedText }],
  ]);
});

test('code is highlighted, on the background of the change', async () => {
  const highlighter = await loadHighlighter();
  const lines = diffLines(await diffOf('f.ts', null, 'const x = 1;\n'), { width: 60, theme, highlighter });
  expect(lines[1]?.slice(2)).toEqual([
    { text: 'const', style: { ...styles.keyword, ...styles.addedText } },
    { text: ' x = ', style: styles.addedText },
    { text: '1', style: { ...styles.number, ...styles.addedText } },
    { text: ';', style: styles.addedText },
  ]);
});

test('a long change is folded, and says how much is hidden and how to see it', async () => {
  const text = Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join('');
  const change = await diffOf('f.txt', null, text);
  const options = { width: 60, theme, rows: 5 };
  expect(textOf(diffLines(change, options))).toEqual([
    'f.txt +50 −0',
    ' 1 + line 0',
    ' 2 + line 1',
    ' 3 + line 2',
    '… +47 lines (ctrl+o)',
  ]);
  expect(diffLines(change, { width: 60, theme })).toHaveLength(51);
});

test('long lines wrap under their number, and no row is wider than the screen', async () => {
  const change = await diffOf('f.txt', null, `${'ab'.repeat(20)}\n`);
  expect(textOf(diffLines(change, { width: 20, theme })).slice(1)).toEqual([
    '1 + abababababababab',
    '  + abababababababab',
    '  + abababab',
  ]);
});

test('several files follow one another, and distant hunks are separated', async () => {
  const far = Array.from({ length: 30 }, (_, i) => `l${i}\n`);
  const changed = far.with(0, 'first\n').with(29, 'last\n');
  const one = await diffOf('a.txt', far.join(''), changed.join(''));
  const two = await diffOf('b.txt', 'x\n', 'y\n');
  const lines = textOf(diffLines({ kind: 'diffs', diffs: [one, two] }, { width: 40, theme }));
  expect(lines).toContain('   ⋮');
  expect(lines.slice(-4)).toEqual(['', 'b.txt +1 −1', '1 - x', '1 + y']);
});

test('escape sequences in a file are shown and not executed', async () => {
  const change = await diffOf('a\u001b[2J.txt', null, 'x\u001b]0;title\u0007\ty\r\n');
  expect(textOf(diffLines(change, { width: 60, theme }))).toEqual(['a␛[2J.txt +1 −0', '1 + x␛]0;title␇ y']);
});
