import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atPaths, lineRange } from './at-paths.ts';

const found: [text: string, paths: string[]][] = [
  ['see @src/a.ts', ['src/a.ts']],
  ['@src/a.ts, @b.ts; (@c.ts) and @d.ts.', ['src/a.ts', 'b.ts', 'c.ts', 'd.ts']],
  ['what is @src/?', ['src/']],
  ['@"my notes/a b.md" and @\'c d.md\'', ['my notes/a b.md', 'c d.md']],
  ['@my\\ notes.md!', ['my notes.md']],
  ['@~/notes.md @../up.md @/etc/hosts', ['~/notes.md', '../up.md', '/etc/hosts']],
  ['@a.ts:10-40: why?', ['a.ts:10-40']],
  ['@Makefile and @LICENSE', ['Makefile', 'LICENSE']],
  ['@日本/é.md', ['日本/é.md']],
  ['mail me@example.com', []],
  ['`@a.ts` and ``@b.ts``', []],
  ['```\n@a.ts\n```\n@b.ts', ['b.ts']],
  ['~~~ts\n@a.ts\n', []],
  ['@', []],
  ['@.', []],
];
test.each(found)('the paths in %j', (text, paths) => {
  expect(atPaths(text).map(({ path }) => path)).toEqual(paths);
});

const clear: [text: string, isFile: boolean][] = [
  ['@src/a.ts', true],
  ['@a.ts:3-9', true],
  ['@./run', true],
  ['@~/x', true],
  ['@"any thing"', true],
  ['@Injectable()', false],
  ['@app.get("/x")', false],
  ['@pytest.fixture', false],
  ['@angular/core', false],
  ['@john.doe', false],
  ["import x from '@/lib/a.ts'", false],
  ["from '@babel/core/lib/index.js'", false],
  ['@media (max-width: 10px)', false],
];
test.each(clear)('%s is clearly a file: %s', (text, isFile) => {
  expect(atPaths(text).map((one) => one.isFile)).toEqual([isFile]);
});

test('line ranges', () => {
  const ranges = ['a.ts:10-40', 'a.ts:7', 'a.ts:7:12', 'a.ts#L3-L5', 'a.ts#3', 'a.ts', 'a.ts:9-3', 'a.ts:0'];
  expect(ranges.map(lineRange)).toEqual([
    { path: 'a.ts', from: 10, to: 40 },
    { path: 'a.ts', from: 7, to: 7 },
    { path: 'a.ts', from: 7, to: 7 },
    { path: 'a.ts', from: 3, to: 5 },
    { path: 'a.ts', from: 3, to: 3 },
    null,
    null,
    null,
  ]);
});

test('what is written is in the text where it was found, in order and without overlaps', () => {
  const words = fc.constantFrom(
    '@a.md',
    '`',
    '@"b c"',
    '```\n',
    '\n',
    ' ',
    'x@y',
    '@',
    '.',
    '\\ ',
    '@é/',
    '"',
  );
  fc.assert(
    fc.property(fc.array(words), (list) => {
      const text = list.join('');
      let end = 0;
      for (const { at, written, path } of atPaths(text)) {
        expect(at).toBeGreaterThanOrEqual(end);
        expect(text.slice(at, at + written.length)).toBe(written);
        expect(path).not.toBe('');
        end = at + written.length;
      }
    }),
  );
});

test('a long text with much code and many paths is parsed quickly', { timeout: 5000 }, () => {
  expect(atPaths('`x` @a.md\n'.repeat(50_000)).length).toBe(50_000);
});
