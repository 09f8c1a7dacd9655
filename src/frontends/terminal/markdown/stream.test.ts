import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sweep } from '../../../../test/support/soak.ts';
import { paint } from '../painter/paint.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { Line } from '../view/types.ts';
import { type Highlighter, loadHighlighter } from './highlight.ts';
import { type MarkdownOptions, StreamingMarkdown } from './stream.ts';

function renderMarkdown(text: string, options: MarkdownOptions) {
  const stream = new StreamingMarkdown(options);
  return [...stream.push(text), ...stream.end()];
}

const theme = themeOf('dark', 'truecolor');
let highlighter: Highlighter;
beforeAll(async () => {
  highlighter = await loadHighlighter();
});

const textOf = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''));
const draw = (text: string, width = 40) => textOf(renderMarkdown(text, { width, theme, highlighter }));

/** Lines as models write them, and as they never would. */
const sourceLine = fc.oneof(
  { weight: 3, arbitrary: fc.lorem({ maxCount: 12 }) },
  fc.constantFrom(
    '',
    '',
    '# One',
    '### Three **b**',
    '- a',
    '  - b',
    '    - c `x`',
    '1. one',
    '1. two',
    '7) seven',
    '- [ ] open',
    '- [x] done',
    '> quoted',
    '>> deeper',
    '> - in it',
    '```ts',
    '```',
    '~~~',
    '  ```js',
    'const x = `a $',
    '/* open',
    'closed */',
    '| a | b |',
    '|---|:-:|',
    '| 1 | 2 **x** | 3 |',
    '---',
    '===',
    '***',
    '<details>',
    '<b>x</b> y',
    '    indented',
    '\ttabbed',
    'a **bold',
    'end** of _it_ and ~~gone~~',
    '[x](https://a.example/b) https://c.example',
    'word\r',
    '\\* &amp; &#27;[2J',
    '中文字符的一行没有空格可以折断',
    'שלום עולם',
    '👩‍👩‍👧‍👦 e\u0301 🇩🇪',
  ),
  fc.string({ maxLength: 30 }),
);
const source = fc.array(sourceLine, { maxLength: 40 }).map((lines) => lines.join('\n'));
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 });

function pieces(text: string, lengths: readonly number[]): string[] {
  const out: string[] = [];
  for (let start = 0, i = 0; start < text.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    out.push(text.slice(start, start + length));
    start += length;
  }
  return out;
}

describe('text that arrives in pieces', () => {
  sweep([40, 300])(
    '[C07] finally equals a render of the whole, however it was split (%i runs)',
    (numRuns) => {
      fc.assert(
        fc.property(source, cuts, fc.integer({ min: 8, max: 90 }), (text, lengths, width) => {
          const stream = new StreamingMarkdown({ width, theme, highlighter });
          const lines = pieces(text, lengths).flatMap((piece) => {
            const finished = stream.push(piece);
            stream.tail();
            return finished;
          });
          expect([...lines, ...stream.end()]).toEqual(renderMarkdown(text, { width, theme, highlighter }));
        }),
        { numRuns },
      );
    },
  );

  sweep([30, 200])(
    'is always shown completely: finished lines and tail equal a render of the text so far (%i runs)',
    (numRuns) => {
      fc.assert(
        fc.property(source, cuts, (text, lengths) => {
          const stream = new StreamingMarkdown({ width: 40, theme, highlighter });
          const finished: Line[] = [];
          let seen = '';
          for (const piece of pieces(text, lengths)) {
            finished.push(...stream.push(piece));
            seen += piece;
            // Characters that may still become something else are held back, as is half of a surrogate pair.
            const open = seen.slice(seen.lastIndexOf('\n') + 1);
            if (open === '' || (/[a-z\d]/i.test(open) && !/[\ud800-\udbff]$/.test(open))) {
              expect([...finished, ...stream.tail()]).toEqual(
                renderMarkdown(seen, { width: 40, theme, highlighter }),
              );
            }
          }
        }),
        { numRuns },
      );
    },
  );

  sweep([40, 300])(
    'no row is wider than the screen, and none contains control characters (%i runs)',
    (numRuns) => {
      const anything = fc.oneof(source, fc.string({ unit: 'binary', maxLength: 200 }));
      fc.assert(
        fc.property(anything, fc.integer({ min: 8, max: 60 }), (text, width) => {
          for (const line of renderMarkdown(text, { width, theme, highlighter, links: true })) {
            expect(widthOfLine(line)).toBeLessThanOrEqual(width);
            for (const span of line)
              expect(span.text).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]|\p{Cs}/u);
            for (const { style } of line) expect(style?.href ?? '').toMatch(/^(https?:|mailto:|$)[!-~]*$/);
          }
        }),
        { numRuns },
      );
    },
  );

  sweep<[string, (i: number) => string]>([
    ['paragraphs', (i: number) => `Paragraph ${i} with **bold** and \`code\` in it.\n\n`],
    ['one paragraph', (i: number) => `sentence ${i} goes on and on, `],
    ['one word', () => 'abcdefgh'],
    ['one list', (i: number) => `- item ${i} of *many*\n`],
    ['one block of code', (i: number) => (i === 0 ? '```ts\n' : `const x${i} = "text"; // ${i}\n`)],
    ['code in an open comment', (i: number) => (i === 0 ? '```ts\n/*\n' : `still a comment ${i}\n`)],
    ['one table', (i: number) => (i === 0 ? '| a | b |\n|---|---|\n' : `| cell ${i} | other |\n`)],
    ['one quote', (i: number) => `> line ${i}\n`],
  ])('a piece costs the same after 300 KB as after 30 KB: %s', (_, piece) => {
    const stream = new StreamingMarkdown({ width: 80, theme, highlighter });
    const costs: number[] = [];
    let length = 0;
    for (let i = 0; length < 300_000; i++) {
      const before = stream.work;
      const text = piece(i);
      stream.push(text);
      // A screen needs the tail once per batch, not per piece.
      if (i % 20 === 0) stream.tail();
      length += text.length;
      costs.push(stream.work - before);
    }
    const third = Math.floor(costs.length / 3);
    const early = Math.max(...costs.slice(0, third));
    const late = Math.max(...costs.slice(-third));
    expect(late).toBeLessThanOrEqual(early + 100);
    expect(late).toBeLessThan(20_000);
  });
});

describe('what models write', () => {
  test('headings, emphasis and links', () => {
    expect(draw('# One\nSome **bold** and `code`, [here](https://a.example).\n\nTwo\n---\n')).toEqual([
      'One',
      'Some bold and code, here',
      '(https://a.example).',
      '',
      'Two',
    ]);
  });

  test('lists continue their numbers, nest, and keep their empty lines', () => {
    expect(draw('1. one\n1. two\n   - a\n     - b\n1. three\n\n   more\n- [ ] open\n- [x] done')).toEqual([
      '1. one',
      '2. two',
      '   ◦ a',
      '     ▪ b',
      '3. three',
      '',
      '   more',
      '[ ] open',
      '[x] done',
    ]);
  });

  test('a list right after a sentence stays close to it; a number in a sentence starts no list', () => {
    expect(draw('Steps:\n- a\n- b')).toEqual(['Steps:', '• a', '• b']);
    expect(draw('Since\n1986. a year')).toEqual(['Since', '1986. a year']);
  });

  test('quotes continue over their empty lines, with their content', () => {
    expect(draw('> a\n>\n> - b\n>   c\n\nd')).toEqual(['│ a', '│', '│ • b', '│   c', '', 'd']);
  });

  test('code keeps its spaces and empty lines; a fence in a list belongs to its item', () => {
    expect(draw('- a:\n  ```py\n  def f():\n\n      return 1\n  ```\n- b')).toEqual([
      '• a:',
      '    def f():',
      '',
      '        return 1',
      '• b',
    ]);
  });

  test('an unclosed fence shows its code', () => {
    expect(draw('```\na\n  b')).toEqual(['  a', '    b']);
  });

  test('a table fits the screen: cells wrap if it is narrow, and are listed if it is very narrow', () => {
    const table = '| Name | What it does |\n|---|---:|\n| alpha | reads `a` file |\n| b | x \\| y |\n';
    expect(draw(table, 40)).toEqual([
      'Name  │ What it does',
      '──────┼─────────────',
      'alpha │ reads a file',
      'b     │        x | y',
    ]);
    expect(draw(table, 18)).toEqual([
      'Name  │    What it',
      '      │       does',
      '──────┼───────────',
      'alpha │    reads a',
      '      │       file',
      '──────┼───────────',
      'b     │      x | y',
    ]);
    expect(draw(table, 9)).toEqual([
      'Name:',
      'alpha',
      'What it',
      'does:',
      'reads a',
      'file',
      '',
      'Name: b',
      'What it',
      'does: x |',
      'y',
    ]);
  });

  test('a table may follow a sentence directly, and ends where it ends', () => {
    expect(draw('See:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter.')).toEqual([
      'See:',
      '',
      'a │ b',
      '──┼──',
      '1 │ 2',
      '',
      'After.',
    ]);
  });

  test('HTML is text', () => {
    expect(draw('<details>\n<summary>x</summary>\n\na <b>b</b> &lt;c&gt; <script>')).toEqual([
      '<details>',
      '<summary>x</summary>',
      '',
      'a <b>b</b> <c> <script>',
    ]);
  });

  test('newlines inside a paragraph are kept, and rules are drawn', () => {
    expect(draw('a\nb\n\n***\nc', 10)).toEqual(['a', 'b', '', '──────────', '', 'c']);
  });

  test('wide characters, combining marks and joined emoji are measured, and broken only between graphemes', () => {
    expect(draw('中文字符的一行没有空格', 10)).toEqual(['中文字符的', '一行没有空', '格']);
    expect(draw('ab👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 8)).toEqual(['ab👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']);
    expect(draw('e\u0301'.repeat(10), 8)).toEqual(['e\u0301'.repeat(8), 'e\u0301'.repeat(2)]);
    expect(draw('שלום עולם טוב', 9)).toEqual(['שלום עולם', 'טוב']);
  });
});

describe('links', () => {
  const linked = (text: string) => renderMarkdown(text, { width: 60, theme, links: true }).flat();

  test('are passed to terminals that support them, and only http(s) and mailto URLs', () => {
    expect(linked('[docs](https://a.example/b)').map(({ style }) => style?.href)).toEqual([
      'https://a.example/b',
    ]);
    expect(textOf([linked('[run](file:///etc/passwd)')])).toEqual(['run (file:///etc/passwd)']);
    expect(linked('[x](javascript:alert)').map(({ style }) => style?.href)).toEqual([undefined, undefined]);
  });

  test('whose text claims another URL show the real one', () => {
    expect(textOf([linked('[https://bank.example](https://evil.example/)')])).toEqual([
      'https://bank.example (https://evil.example/)',
    ]);
  });

  test('cannot smuggle an escape sequence in their URL', () => {
    const [line] = renderMarkdown('[x](https://a.example/\u0007\u001b]0;t)', {
      width: 80,
      theme,
      links: true,
    });
    const written = paint(line ?? []);
    expect(written).not.toContain('\u001b]0;');
  });
});

test('without colors inline code keeps its backticks', () => {
  const plain = themeOf('dark', 'none');
  expect(textOf(renderMarkdown('run `ls`', { width: 40, theme: plain }))).toEqual(['run `ls`']);
});

test('after a resize the following lines have the new width', () => {
  const stream = new StreamingMarkdown({ width: 40, theme });
  const first = stream.push('aaaa bbbb cccc\n\n');
  stream.resize(9);
  expect(textOf([...first, ...stream.push('aaaa bbbb cccc\n\n')])).toEqual([
    'aaaa bbbb cccc',
    '',
    'aaaa bbbb',
    'cccc',
  ]);
});
