import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sectionsOf, withFigures } from '../scripts/figures.ts';
import { readPages } from '../scripts/links.ts';

const results = `# Results

## 2026-01-01, aaaaaaa, 2 cores

| what | median ms | target ms |
|---|---|---|
| tui: start | 57.4 | under 80 |

## Beside others, 2026-01-02, bbbbbbb, 2 cores

Bare runtime, spawn to exit: 41.5 ms.

| what | this | other |
| --- | --- | --- |
| start, ms | 58.5 | 1567 |
| memory, MB | 9.0 | 133 |

## Beside an earlier build, 2026-01-03, ccccccc, 2 cores

Bare runtime, spawn to exit: 32.0 ms.

| what | before | this | ratio |
| --- | --- | --- | --- |
| start, ms | 58.5 | 31.6 | 0.54 |
| echo, ms | 2.0 | 1.2 | 0.60 |

Another table of the same run:

| task | commands |
| --- | --- |
| idle | 63.1 |
| start, ms | 7 |
`;
const filled = (text: string, file = 'docs/a.md') => withFigures({ file, text }, sectionsOf(results));

test('every figure in the documents is the one in bench/results.md', async () => {
  const pages = await readPages('.');
  const sections = sectionsOf(await readFile('bench/results.md', 'utf8'));
  const stale = pages.filter((page) => withFigures(page, sections) !== page.text).map(({ file }) => file);
  const quoting = pages.filter(({ text }) => text.includes('<!-- figures: ')).map(({ file }) => file);
  expect(stale).toEqual([]);
  expect(quoting).toEqual(['docs/bench.md', 'docs/comparison.md']);
});

test.each(['README', 'docs/comparison', 'docs/stack', 'docs/install', 'docs/memory'])(
  '%s.md has no measured figure without a source',
  async (page) => {
    const text = await readFile(`${page}.md`, 'utf8');
    const prose = text
      .replaceAll(/\[[^\]]*\]\([^()\s]*results\.md[^()\s]*\s+"[^"]*"\)/g, '')
      .replaceAll(/<!-- figures: [\s\S]*?<!-- \/figures -->/g, '')
      // Decided, not measured.
      .replace('collects them for 33 ms', '')
      .replace('at most 32 MB', '')
      .replaceAll(/<!-- \d{4}-.*? -->/g, '');
    expect(prose.match(/[\d.,]+ ?(ms|MB|KB|%|times)\b/g)).toBeNull();
  },
);

test.each([
  ['the latest table counts', '[99 ms](x/bench/results.md "start, ms: this")', '32 ms', 'ccccccc'],
  [
    'a commit names an older one',
    '[9 ms](bench/results.md "start, ms: this at bbbbbbb")',
    '59 ms',
    'bbbbbbb',
  ],
  ['a row may contain a colon', '[1 ms](bench/results.md "tui: start: median ms")', '57 ms', 'aaaaaaa'],
  ['thousands are grouped', '[1 ms](bench/results.md "start, ms: other")', '1,567 ms', 'bbbbbbb'],
  ['a section may have several tables', '[9](bench/results.md "idle: commands")', '63', 'ccccccc'],
  [
    'a multiple is rounded',
    '[9 a minute](bench/results.md "idle: commands × 60")',
    '3,800 a minute',
    'ccccccc',
  ],
  ['small ones keep a decimal', '[about 7 ms](bench/results.md "echo, ms: this")', 'about 1.2 ms', 'ccccccc'],
])('%s', (_name, text, words, commit) => {
  const found = /^\[(.*)\]\(\.\.\/bench\/results\.md#(\S+) "/.exec(filled(text));
  expect(found?.[1]).toBe(words);
  expect(found?.[2]).toContain(commit);
  expect(filled(filled(text))).toBe(filled(text));
});

test.each([
  '[1 ms](bench/results.md "start, ms: nobody")',
  '[1 ms](bench/results.md "no such row: this")',
  '[1 ms](bench/results.md "start, ms: this at fffffff")',
  '[1 ms](bench/results.md "tui: start: target ms")',
  '<!-- figures: nobody -->\n<!-- /figures -->',
])('a figure that was never measured is an error: %s', (text) => {
  expect(() => filled(text)).toThrow(/docs\/a\.md: bench\/results\.md has no/);
});

test('a table has the rows of its first column, and says when each column was measured', () => {
  const text = filled('before\n<!-- figures: this | other -->\nold\n<!-- /figures -->\nafter\n', 'README.md');
  expect(text).toBe(`before
<!-- figures: this | other -->

| what      | this | other |
| --------- | ---: | ----: |
| start, ms |   32 | 1,567 |
| echo, ms  |  1.2 |     – |

“this”: [2026-01-03, ccccccc, 2 cores](bench/results.md#beside-an-earlier-build-2026-01-03-ccccccc-2-cores); a bare \`node -e 0\` took 32 ms.
“other”: [2026-01-02, bbbbbbb, 2 cores](bench/results.md#beside-others-2026-01-02-bbbbbbb-2-cores); a bare \`node -e 0\` took 42 ms.

<!-- /figures -->
after
`);
  expect(filled(text, 'README.md')).toBe(text);
});

test.each(['[42 ms](bench/results.md)', '`[42 ms](bench/results.md "start, ms: this")`'])(
  'nothing is changed in %s',
  (text) => expect(filled(text)).toBe(text),
);
