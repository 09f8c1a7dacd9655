import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import { search } from './search.ts';
import { parseQuery } from './searching/query.ts';

/** Later files are newer. */
const tree = {
  '.gitignore': 'dist\n',
  'dist/out.js': 'function parseConfig() {}\n',
  'docs/guide.md': 'Call parseConfig first.\n\nfunction parseConfig is described here.\n',
  'src/app.ts': "import { parseConfig } from './config.ts';\nconst config = parseConfig('a');\n",
  'src/config.ts': 'export function parseConfig(text: string) {\n  return text;\n}\n',
  'src/config.test.ts': 'function parseConfig() {}\n  parseConfig();\n',
  'py/settings.py': 'def parse_config(text):\n    return text\n',
  'go/server.go': 'func (s *Server) ParseConfig(w io.Writer) error {\n\treturn nil\n}\n',
  'rust/lib.rs':
    'pub struct RetryPolicy {\n    limit: u32,\n}\nimpl RetryPolicy {\n    pub fn next_delay(&self) -> u32 { 1 }\n}\n',
  'c/main.c': 'static int next_delay(int n)\n{\n  return n;\n}\n',
  'java/Job.java': 'public class Job {\n  public int nextDelay(int n) {\n    return n;\n  }\n}\n',
  'src/newer.ts': 'myparseConfigs();\nlog(parseConfig);\n',
};

async function found(query: string, path?: string): Promise<string[]> {
  const { context } = await bench(tree);
  const result = await use(search, { query, ...(path !== undefined && { path }) }, context);
  if (!result.success) throw new Error(result.error);
  return result.output.split('\n').map((line) => line.replace(/^(\S+:\d+): .*\[(.*)\]$/, '$1 $2'));
}

describe('[Y16] [T13] ranked search', () => {
  const table: [query: string, expected: string[]][] = [
    [
      'parseConfig',
      [
        'src/config.ts:1 definition: function',
        'src/config.test.ts:1 definition: function',
        'go/server.go:1 definition, other spelling: function',
        'py/settings.py:1 definition, other spelling: function',
        'src/newer.ts:2 word',
        'src/app.ts:2 word',
        'src/config.test.ts:2 word',
        'docs/guide.md:1 word',
        'docs/guide.md:3 word',
        'src/app.ts:1 import',
        'src/newer.ts:1 part of a name',
      ],
    ],
    [
      'parse_config',
      [
        'py/settings.py:1 definition: function',
        'go/server.go:1 definition, other spelling: function',
        'src/config.ts:1 definition, other spelling: function',
        'src/config.test.ts:1 definition, other spelling: function',
        'src/newer.ts:2 word, other spelling',
        'src/app.ts:2 word, other spelling',
        'src/config.test.ts:2 word, other spelling',
        'docs/guide.md:1 word, other spelling',
        'docs/guide.md:3 word, other spelling',
        'src/app.ts:1 import',
        'src/newer.ts:1 part of a name',
      ],
    ],
    ['RetryPolicy', ['rust/lib.rs:1 definition: type', 'rust/lib.rs:4 definition: type']],
    [
      'where is the next delay',
      [
        'c/main.c:1 definition: function',
        'java/Job.java:2 definition: method',
        'rust/lib.rs:5 definition: function',
      ],
    ],
    ['nowhere', ['Nothing found for nowhere.']],
  ];
  test.each(table)('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test('a line is reported with its position and the reason', async () => {
    const { context } = await bench(tree);
    expect(await use(search, { query: 'RetryPolicy' }, context)).toEqual({
      success: true,
      output:
        'rust/lib.rs:1: pub struct RetryPolicy {  [definition: type]\n' +
        'rust/lib.rs:4: impl RetryPolicy {  [definition: type]',
      metadata: { total: 2 },
      summary: { kind: 'count', unit: 'place', count: 2 },
    });
  });

  test('names with colons and newlines, and matches far into a line', async () => {
    const { context } = await bench({
      'a:3:b.ts': 'const wanted = 1;\n',
      'c\nd.ts': 'const wanted = 2;\n',
      'e.ts': `${'x '.repeat(100)}wanted${' y'.repeat(100)}\n`,
      'f.ts': `${'x '.repeat(1_000)}wanted${' y'.repeat(1_000)}\n`,
    });
    const result = await use(search, { query: 'wanted' }, context);
    expect(result.success && result.output.split('\n')).toEqual([
      '"c\\nd.ts":1: const wanted = 2;  [definition: variable]',
      'a:3:b.ts:1: const wanted = 1;  [definition: variable]',
      `f.ts:1: …${'x '.repeat(50)}wanted${' y'.repeat(26)} …  [word]`,
      `e.ts:1: …${'x '.repeat(20)}wanted${' y'.repeat(57)}…  [word]`,
    ]);
  });

  test('a folder narrows the search; a path that is not one and a query without words are errors', async () => {
    expect(await found('parseConfig', 'py')).toEqual([
      'py/settings.py:1 definition, other spelling: function',
    ]);
    const { context } = await bench(tree);
    expect(await use(search, { query: '=>' }, context)).toMatchObject({ success: false });
    expect(await use(search, { query: 'a', path: 'gone' }, context)).toEqual({
      success: false,
      error: 'gone does not exist. Find it with Glob, or omit path.',
    });
  });

  test('one page: a file full of matches does not crowd out the others, and the rest is counted', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`f${i}.ts`, 'use(word);\n'.repeat(50)]),
    );
    const { context } = await bench({ ...files, 'z.ts': 'const word = 1;\n' });
    const result = await use(search, { query: 'word' }, context);
    const lines = result.success ? result.output.split('\n') : [];
    expect(lines[0]).toBe('z.ts:1: const word = 1;  [definition: variable]');
    expect(lines.length).toBe(41);
    expect(lines.filter((line) => line.startsWith('f59.ts:')).length).toBe(4);
    expect(lines.at(-1)).toBe('[2961 more places; Grep lists them all]');
  });

  test('[L10] an abort ends it', async () => {
    const { context } = await bench(tree);
    const controller = new AbortController();
    const going = use(search, { query: 'parseConfig' }, { ...context, signal: controller.signal });
    controller.abort(new Error('stopped'));
    await expect(going).rejects.toThrow('stopped');
  });
});

describe('queries', () => {
  test.each([
    ['parseConfig', ['parseConfig'], 'parse[\\s_-]?Config'],
    ['where is the retry loop?', ['retry', 'loop'], 'retry[\\s_-]?loop'],
    ['_private', ['_private'], 'private'],
    ['$scope', ['$scope'], '\\$scope'],
    ['naïve größe', ['naïve', 'größe'], 'naïve[\\s_-]?größe'],
    ['the', ['the'], 'the'],
    ['__', ['__'], '__'],
  ])('%s', (query, words, joined) => {
    expect(parseQuery(query)).toMatchObject({ words, joined });
  });

  test('without a word there is no query', () => {
    expect(parseQuery('=> {}')).toBe(null);
  });
});
