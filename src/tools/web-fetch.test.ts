import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { WebPage } from '../contract/tool.ts';
import { webFetch } from './web-fetch.ts';

const url = 'https://a.org/page';

async function fetching(page: Partial<WebPage>) {
  const { context } = await bench();
  const asked: string[] = [];
  const web = {
    get: async (address: string): Promise<WebPage> => {
      asked.push(address);
      return { url, status: 200, mediaType: 'text/html', text: '', ...page };
    },
  };
  return { asked, run: (input: object) => use(webFetch, input, { ...context, web }) };
}

describe('[U17] WebFetch', () => {
  test('returns the text for the model, and a summary line for the display', async () => {
    const { run, asked } = await fetching({ text: '# Hi\n\nthere' });
    expect(await run({ url })).toEqual({
      success: true,
      output: '# Hi\n\nthere',
      display: { kind: 'text', text: 'status 200, text/html, 11 characters' },
      metadata: { url, status: 200, mediaType: 'text/html', characters: 11 },
    });
    expect(asked).toEqual([url]);
  });

  test('needs access to the address and nothing else', () => {
    const input = webFetch.input.parse({ url });
    expect(input).toEqual({ url, offset: 0 });
    expect(webFetch.access(input)).toEqual([{ kind: 'fetch', target: url }]);
    expect(webFetch.title(input, String)).toBe(`WebFetch ${url}`);
  });

  test('a redirect to another host is reported, with what to do', async () => {
    const { run } = await fetching({ status: 301, mediaType: '', movedTo: 'https://b.org/x' });
    expect(await run({ url })).toEqual({
      success: true,
      output: `${url} redirects to another host: https://b.org/x\nFetch that address if it is what you want.`,
      display: { kind: 'text', text: 'status 301, moved to https://b.org/x' },
      metadata: { url, status: 301, mediaType: '', characters: 0, movedTo: 'https://b.org/x' },
    });
  });

  test.each([
    [
      'a refusal, with what the server said',
      { status: 404, text: 'Gone.' },
      {},
      `${url} answered with status 404.\n\nGone.`,
    ],
    ['a refusal without words', { status: 500 }, {}, `${url} answered with status 500.`],
    [
      'an offset past the end',
      { text: 'abc' },
      { offset: 3 },
      `${url} has 3 characters; offset 3 is past its end.`,
    ],
  ])('%s', async (_name, page, input, error) => {
    const { run } = await fetching(page);
    expect(await run({ url, ...input })).toMatchObject({ success: false, error });
  });

  test('an empty page is reported', async () => {
    const { run } = await fetching({ text: ' \n' });
    expect(await run({ url })).toMatchObject({ success: true, output: `${url} has no text (text/html).` });
  });

  test.each(['a.org', '/page', 'https://'])(
    '"%s" is not an address, and nothing is fetched',
    async (address) => {
      const { run, asked } = await fetching({});
      expect(await run({ url: address })).toEqual({
        success: false,
        error: `${address} is not a full URL. Use one such as https://example.org/page.`,
      });
      expect(asked).toEqual([]);
    },
  );

  test('an address without any text is invalid input', () => {
    expect(webFetch.input.safeParse({ url: '' }).success).toBe(false);
  });

  test('a refusal is passed through', async () => {
    const { context } = await bench();
    await expect(use(webFetch, { url }, context)).rejects.toThrow('No web access in this context.');
  });

  test('[Y39] a long text is paged at line ends, below the length at which results are cut', async () => {
    const { run } = await fetching({ text: `${'x'.repeat(99)}\n`.repeat(400) });
    expect(await run({ url })).toMatchObject({
      output: `${`${'x'.repeat(99)}\n`.repeat(398)}\n[200 more characters: pass offset 39800 to continue]`,
    });
    expect(await run({ url, offset: 39_800 })).toMatchObject({ output: `${'x'.repeat(99)}\n`.repeat(2) });
  });

  test('property: the pages of any text join to the text, never split a character, and are short enough', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.integer({ min: 1, max: 45_000 }).map((length) => '😀'.repeat(length)),
      fc.integer({ min: 1, max: 45_000 }).map((length) => 'x'.repeat(length)),
    );
    const texts = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => `x${lines.join('\n')}`);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { run } = await fetching({ text });
        let joined = '';
        for (let offset: number | null = 0; offset !== null; ) {
          const result = await run({ url, offset });
          const output: string = result.success ? result.output : '';
          expect(output.length).toBeLessThanOrEqual(40_000);
          const more = output.match(/\n\[\d+ more characters: pass offset (\d+) to continue\]$/);
          const page: string = more ? output.slice(0, more.index) : output;
          expect(page).not.toMatch(/[\uD800-\uDBFF]$/);
          joined += page;
          offset = more ? Number(more[1]) : null;
        }
        expect(joined).toBe(text);
      }),
      { numRuns: 50 },
    );
  });
});
