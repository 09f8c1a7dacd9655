import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pdfOf } from '../../../test/support/pdf.ts';
import { soak } from '../../../test/support/soak.ts';
import { bench, use } from '../../../test/support/tool-context.ts';
import { imageOf } from '../../lib/images/image-kind.ts';
import { resultLimits } from '../../lib/results/result-limits.ts';
import { read } from '../read.ts';

async function benchWith(pages: string[]) {
  const space = await bench();
  await writeFile(path.join(space.root, 'a.pdf'), pdfOf(pages));
  return { ...space, sees: { ...space.context, accepts: { images: true } } };
}

describe('PDF', () => {
  test('the text of its pages', async () => {
    const { context } = await benchWith(['Hello world\nsecond line', '']);
    expect(await use(read, { file_path: 'a.pdf' }, context)).toMatchObject({
      success: true,
      output:
        '--- page 1 of 2 ---\nHello world\nsecond line\n' +
        '--- page 2 of 2 ---\n(no text on this page: it may be a scan or a drawing)',
      metadata: { pages: 2 },
    });
    expect(context.seen.size).toBe(1);
  });

  test('a model with image support also gets rendered pages, five at a time', soak, async () => {
    const { sees } = await benchWith(Array.from({ length: 7 }, (_, i) => `number ${i + 1}`));
    const result = await use(read, { file_path: 'a.pdf' }, sees);
    if (!result.success) throw new Error(result.error);
    expect(result.output.split('\n').at(-1)).toBe('[2 more pages: pass pages 6-7 to continue]');
    expect(result.images?.length).toBe(5);
    const png = Buffer.from(result.images?.[0]?.data ?? '', 'base64');
    expect(imageOf(png)).toEqual({
      name: 'PNG',
      mediaType: 'image/png',
      size: { width: 1568, height: 1045 },
    });
    const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
    expect(rows.length).toBe(1045 * (1 + 1568 * 3));
    // White paper with black letters: rows differ from those above them.
    expect([...rows.subarray(1, 4)]).toEqual([255, 255, 255]);
    expect(rows.subarray(1 + 1568 * 3).some((byte, i) => i % (1 + 1568 * 3) !== 0 && byte !== 0)).toBe(true);
  });

  test.each([
    ['2', ['--- page 2 of 3 ---', 'b']],
    ['2-3', ['--- page 2 of 3 ---', 'b', '--- page 3 of 3 ---', 'c']],
    ['3-', ['--- page 3 of 3 ---', 'c']],
    ['3-99', ['--- page 3 of 3 ---', 'c']],
  ])('pages %s', async (pages, lines) => {
    const { context } = await benchWith(['a', 'b', 'c']);
    expect(await use(read, { file_path: 'a.pdf', pages }, context)).toMatchObject({
      output: lines.join('\n'),
    });
  });

  test.each(['0', '4', '2-1', 'all'])('pages %s: do not exist', async (pages) => {
    const { context } = await benchWith(['a', 'b', 'c']);
    expect(await use(read, { file_path: 'a.pdf', pages }, context)).toEqual({
      success: false,
      error: 'a.pdf has 3 pages; pass pages as one of them or a range, such as 1-5.',
    });
  });

  test('pages stop before the answer is too long, and continue where they stopped', async () => {
    const page = Array.from({ length: 60 }, () => 'w'.repeat(80)).join('\n');
    const { context } = await benchWith([page, page, page]);
    const small = { ...context, limits: resultLimits(16_000) };
    const result = await use(read, { file_path: 'a.pdf' }, small);
    const output = result.success ? result.output : '';
    expect(output.length).toBeLessThan(10_000);
    expect(output).toMatch(/\n\[2 more pages: pass pages 2-3 to continue\]$/);
  });

  test('a damaged file is reported as such', async () => {
    const { context } = await bench({ 'a.pdf': '%PDF-1.4 nonsense' });
    expect(await use(read, { file_path: 'a.pdf' }, context)).toEqual({
      success: false,
      error: 'a.pdf cannot be read as a PDF: File not in PDF format or corrupted.',
    });
  });
});
