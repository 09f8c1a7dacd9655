import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, brokenLinks, readPages } from '../scripts/links.ts';
import { workspace } from './support/workspace.ts';

const page = (text: string) => [
  { file: 'docs/a.md', text: `${text}\n\n## Keys & rules\n\n## Keys & rules\n` },
];
const broken = (text: string) =>
  brokenLinks(page(text), '.').map((sentence) => /link to (\S+) is broken/.exec(sentence)?.[1]);

test('every link of the documents leads somewhere', async () => {
  const pages = await readPages('.');
  expect(pages.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['README.md', 'docs/api.md', 'examples/skill/changelog/SKILL.md']),
  );
  expect(brokenLinks(pages, '.')).toEqual([]);
});

test.each([
  ['[x](nowhere.md)', ['nowhere.md']],
  ['![x](nowhere.svg)', ['nowhere.svg']],
  ['<img src="nowhere.svg">', ['nowhere.svg']],
  ['[x][y]\n\n[y]: nowhere.md', ['nowhere.md']],
  ['[x](../README.md) [y](../src/cli/args.ts) [z](https://example.com/x)', []],
  ['[x](../../outside.md)', ['../../outside.md']],
  ['[x](SECURITY.md)', ['SECURITY.md']],
  ['[x](#keys--rules) [y](#keys--rules-1)', []],
  ['[x](#keys) [y](a.md#rules) [z](#keys--rules-2)', ['#keys', 'a.md#rules', '#keys--rules-2']],
  ['[x](../src/cli/args.ts#somewhere)', ['../src/cli/args.ts#somewhere']],
  ['`[x](nowhere.md)`', []],
  ['```md\n[x](nowhere.md)\n```', []],
  ['[x](http://) [y](htp://example.com) [z](mailto:me)', ['http://', 'htp://example.com', 'mailto:me']],
])('%s', (text, found) => expect(broken(text)).toEqual(found));

test('anchors are those that GitHub makes', () => {
  expect(anchorsOf('# `aca -p` & [more](x.md)\n```\n# no heading\n```\n## A_b, ç')).toEqual([
    'aca--p--more',
    'a_b-ç',
  ]);
});

test('pages of folders below are read, those of packages are not', async () => {
  const { root } = await workspace({ 'README.md': '', 'docs/deep/a.md': '', 'docs/b.txt': '' });
  await mkdir(path.join(root, 'examples/x/node_modules/y'), { recursive: true });
  await writeFile(path.join(root, 'examples/x/node_modules/y/c.md'), '');
  expect((await readPages(root)).map(({ file }) => file)).toEqual(['README.md', 'docs/deep/a.md']);
});
