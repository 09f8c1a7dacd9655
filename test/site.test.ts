import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '../scripts/site/build.ts';
import { grouped, pagesOutside } from '../scripts/site/order.ts';
import { render } from '../scripts/site/render.ts';
import { filesBelow } from '../src/lib/files/files-below.ts';

const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));

describe('the site of these documents', () => {
  const files = new Map<string, string>();
  let pages = 0;

  beforeAll(async () => {
    const out = await mkdtemp(path.join(tmpdir(), 'aca-site-'));
    ({ pages } = await buildSite('.', out));
    for (const file of filesBelow(out))
      files.set(path.relative(out, file).replaceAll(path.sep, '/'), await readFile(file, 'utf8'));
    await rm(out, { recursive: true });
  });

  test('has every document as a page', async () => {
    const docs = (await readdir('docs')).filter((name) => name.endsWith('.md'));
    expect(pages).toBe(docs.length + pagesOutside().length);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'index.html',
        'architecture.html',
        'style.css',
        'schemas/event.json',
        'screens/80x24-dark/answer.svg',
        ...docs.filter((name) => name !== 'README.md').map((name) => name.replace(/\.md$/, '.html')),
      ]),
    );
  });

  test('leads nowhere that is not there, and loads nothing from elsewhere', () => {
    const broken: string[] = [];
    for (const [file, html] of files) {
      if (!file.endsWith('.html')) continue;
      for (const [, name = '', target = ''] of html.matchAll(/ (href|src)="([^"]*)"/g)) {
        if (/^(https?|mailto):/.test(target)) {
          if (name === 'src') broken.push(`${file} loads ${target}`);
          continue;
        }
        const [where = '', anchor] = target.split('#');
        const wanted = where === '' ? file : path.posix.join(path.posix.dirname(file), where);
        const found = files.get(wanted);
        if (found === undefined || (anchor !== undefined && !idsIn(found).has(anchor)))
          broken.push(`${file}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('finds sections by an index whose places are there', () => {
    const text = files.get('search-index.js') ?? '';
    const index = JSON.parse(text.slice(text.indexOf('['), text.lastIndexOf(']') + 1)) as {
      heading: string;
      href: string;
      text: string;
    }[];
    expect(index.length).toBeGreaterThan(100);
    const lost = index.filter(({ href }) => {
      const [place = '', anchor = ''] = href.split('#');
      return !idsIn(files.get(place) ?? '').has(anchor);
    });
    expect(lost).toEqual([]);
    expect(index.find(({ heading }) => heading === 'Exit codes')?.text).toContain('interrupted');
  });
});

test('pages nobody put in order come last, and those that are not there are passed over', () => {
  const groups = grouped(['README.md', 'zebra.md', 'api.md', 'quick-start.md']);
  expect(groups.map(({ title, files }) => [title, files])).toEqual([
    ['Start here', ['quick-start.md']],
    ['Extend', ['api.md']],
    ['More', ['zebra.md']],
  ]);
});

test('what looks like a tag in a document is shown, not obeyed', () => {
  const { html } = render(
    'docs/a.md',
    '# A\n\n<script>alert(1)</script> and `<b>`\n\n<img src=x onerror=y>',
    new Set(),
  );
  expect(html).not.toMatch(/<(script|b|img)/);
  expect(html).toContain('&lt;script&gt;');
});

test.each([
  ['numbers', '1.5', '-2', 'right'],
  ['units', '12 ms', '1,300 ms', 'right'],
  ['some missing', '', '–', 'right'],
  ['words among them', '12', 'under 80', null],
  ['nothing at all', '', '', null],
])('a column with %s', (_name, first, second, align) => {
  const { html } = render(
    'docs/a.md',
    `# A\n\n| what | n |\n|---|---|\n| a | ${first} |\n| b | ${second} |`,
    new Set(),
  );
  expect([...html.matchAll(/<t[hd](?: align="(\w+)")?>/g)].map(([, found]) => found ?? null)).toEqual([
    null,
    align,
    null,
    align,
    null,
    align,
  ]);
});

test('headings of the same words have places of their own', () => {
  const { html, sections } = render('docs/a.md', '# A\n\n## B\n\none\n\n## B\n\ntwo', new Set());
  expect([...idsIn(html)]).toEqual(['a', 'b', 'b-1']);
  expect(sections.map(({ anchor, text }) => [anchor, text])).toEqual([
    ['a', 'A'],
    ['b', 'B one'],
    ['b-1', 'B two'],
  ]);
});

test('troubleshooting explains only messages that the program says', async () => {
  const page = await readFile('docs/troubleshooting.md', 'utf8');
  const said = [...page.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title);
  const names = (await readdir('src', { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test.'),
  );
  const source = (await Promise.all(names.map((name) => readFile(path.join('src', name), 'utf8')))).join(
    '\n',
  );
  const ownWords = [
    'Provider errors',
    'A command fails in the sandbox and works outside',
    'The model forgets earlier messages',
  ];
  const unsaid = said
    .filter((title) => !ownWords.includes(title))
    .filter((title) => !title.split('…').every((part) => source.includes(part.trim())));
  expect(said.length).toBeGreaterThan(20);
  expect(unsaid).toEqual([]);
});
