import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { sweep } from '../../../test/support/soak.ts';
import { htmlToMarkdown } from './html.ts';

const never = new AbortController().signal;
const convert = (html: string) => htmlToMarkdown(html, new URL('https://a.org/docs/page'), never);

describe('HTML as Markdown', () => {
  test.each([
    [
      'paragraphs and blanks',
      '<p>One\n  two</p>\n<p> three <b>four</b>, five</p>',
      'One two\n\nthree four, five',
    ],
    ['headings', '<h1>A</h1><h3>B <i>c</i></h3>text', '# A\n\n### B c\n\ntext'],
    ['a title', '<title> T\n t </title><p>x', '# T t\n\nx'],
    ['a title that is the heading', '<title>T</title><h1>T</h1>x', '# T\n\nx'],
    ['entities', '&lt;b&gt; &amp; &eacute; &#8212; a&nbsp;b&shy;c', '<b> & é — a bc'],
    [
      'links',
      '<a href="../x?a=1&amp;b=2"> up </a>, <a href="//b.org">b</a>.',
      '[up](https://a.org/x?a=1&b=2) , [b](https://b.org/).',
    ],
    [
      'links that lead nowhere',
      '<a href="#s">s</a> <a href="javascript:f()">j</a> <a>n</a> <a href="http://[">b</a>',
      's j n b',
    ],
    ['anchors of headings', '<h2>Use<a href="#use">¶</a></h2>', '## Use'],
    [
      'a link around blocks',
      '<a href="/x"><div>One</div><div>Two</div></a>',
      '[One](https://a.org/x)\n\nTwo',
    ],
    ['another base', '<base href="https://c.org/"><a href="x">x</a>', '[x](https://c.org/x)'],
    ['lists', '<ul><li>a<li>b<ul><li>c</ul><li><p>d</p><p>e</p></ul>', '- a\n- b\n  - c\n- d\n  e'],
    ['numbered lists', '<ol start=3><li>a</li><li>b</li></ol><ol><li>c', '3. a\n4. b\n1. c'],
    ['quotes', '<blockquote><p>a</p><p>b</p></blockquote>c', '> a\n\n> b\n\nc'],
    ['breaks and rules', 'a<br>b<hr>c', 'a\nb\n\n---\n\nc'],
    ['code', 'call <code>f(x)</code> or <code><a href="/g">g</a></code>', 'call `f(x)` or `g`'],
    [
      'code blocks',
      '<pre><code class="language-ts">\nif (a &lt; b) {\n  c;\n}\n</code></pre>',
      '```ts\nif (a < b) {\n  c;\n}\n```',
    ],
    ['code in lines', '<pre><div>a</div><div>  b</div>c<br>d</pre>', '```\na\n  bc\nd\n```'],
    ['fences in code', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    [
      'tables',
      '<table><tr><th>A<th>B<tr><td>1|2<td><a href="/x">x</a></table>',
      '| A | B |\n| --- | --- |\n| 1\\|2 | [x](https://a.org/x) |',
    ],
    [
      'uneven tables',
      '<table><caption>C</caption><tr><td>a<td>b<tr><td>c</table>',
      'C\n\n| a | b |\n| --- | --- |\n| c |  |',
    ],
    [
      'tables that lay out',
      '<table><tr><td><p>a</p><p>b</p><td><table><tr><td>c<td>d</table></table>',
      'a\n\nb\nc d',
    ],
    ['images', '<img src=x.png alt="A cat"> <img src=y.png>', '[image: A cat]'],
    [
      'what is not to be read',
      '<script>s("</p>")</script><style>p{}</style><svg><text>v</text></svg><select><option>o</select>x',
      'x',
    ],
    [
      'what is hidden',
      '<p hidden>a</p><p style="color:red; DISPLAY: none">b</p><i aria-hidden=true>c<b>d</b></i>e',
      'e',
    ],
    ['broken markup', '<p>a</b></i><div>b</p><td>c<li>d</ul', 'a\n\nb\n\nc\n\n- d'],
    ['no markup', 'just words', 'just words'],
    ['nothing', '', ''],
  ])('%s', async (_name, html, markdown) => {
    expect(await convert(html)).toBe(markdown);
  });

  const matter = 'The matter of the page. '.repeat(12).trim();

  test('of a page with a main part only that part is returned, with the title', async () => {
    const html = `<head><title>T</title></head><header>Menu</header><main><p>${matter}</p></main><p>Legal</p>`;
    expect(await convert(html)).toBe(`# T\n\n${matter}`);
  });

  test('navigation and the like are omitted, unless there is nothing else', async () => {
    expect(await convert(`<nav>N</nav><p>${matter}</p><aside>A</aside><footer>F</footer>`)).toBe(matter);
    expect(await convert('<nav><a href="/a">A</a></nav><main></main><noscript>Turn it on.</noscript>')).toBe(
      '[A](https://a.org/a)\n\nTurn it on.',
    );
  });

  sweep([
    ['deep nesting', '<div>'.repeat(500_000)],
    ['deep nesting and strange ends', `${'<b>'.repeat(300_000)}${'</p></i>'.repeat(100_000)}`],
    ['deep quotes', '<blockquote>x'.repeat(100_000)],
    ['deep tables', '<table><tr><td>x'.repeat(50_000)],
    ['many entities in one line', '&amp;'.repeat(500_000)],
    ['many lines of code', `<pre>${'<div>x</div>'.repeat(100_000)}`],
    ['many links', '<a href="/x">x</a> '.repeat(50_000)],
    ['tags that never end', '<a '.repeat(300_000)],
    ['comments that never end', '<!--'.repeat(300_000)],
  ])('a hostile page takes bounded time: %s', async (_name, html) => {
    const started = cpuMs();
    let longest = 0;
    let last = started;
    const timer = setInterval(() => {
      const now = cpuMs();
      longest = Math.max(longest, now - last);
      last = now;
    }, 5);
    await convert(html);
    clearInterval(timer);
    expect(cpuMs() - started).toBeLessThan(8_000);
    expect(longest).toBeLessThan(2_000);
  });

  test('the signal stops it', async () => {
    const reading = htmlToMarkdown('<p>x'.repeat(200_000), new URL('https://a.org'), AbortSignal.timeout(1));
    await expect(reading).rejects.toThrow(/timeout|aborted/i);
  });

  test('property: any markup terminates, and words outside of tags are kept', async () => {
    const tags = 'a b p div li ul ol table tr td th pre code h2 main blockquote span br img title base'.split(
      ' ',
    );
    const piece = fc.oneof(
      fc.constantFrom(...tags).map((name) => `<${name}>`),
      fc.constantFrom(...tags).map((name) => `</${name}>`),
      fc.stringMatching(/^w[a-z]{3,6}$/).map((word) => ` ${word} `),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const text = await convert(pieces.join(''));
        const words = pieces.filter((one) => one.startsWith(' ')).map((one) => one.trim());
        // The title is included once; words in a second one are part of the page.
        for (const word of words) expect(text).toContain(word);
      }),
    );
  });
});
