import { describe, expect, test } from 'vitest';
import { bench, use } from '../../../test/support/tool-context.ts';
import { resultLimits } from '../../lib/results/result-limits.ts';
import { read } from '../read.ts';
import { encodePng } from './png.ts';

const png = Buffer.from(await encodePng({ width: 3, height: 2, rgba: new Uint8Array(24) })).toString(
  'base64',
);

const notebook = JSON.stringify({
  nbformat: 4,
  cells: [
    { cell_type: 'markdown', source: ['# Title\n', 'words'] },
    {
      cell_type: 'code',
      source: 'print(1)\nplot()',
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['1\n'] },
        { output_type: 'display_data', data: { 'text/plain': '<Figure>', 'image/png': png } },
        { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['\u001b[31mline\u001b[0m 1'] },
      ],
    },
  ],
});

const shown = [
  '1\t--- cell 1 (markdown) ---',
  '2\t# Title',
  '3\twords',
  '4\t--- cell 2 (code) ---',
  '5\tprint(1)',
  '6\tplot()',
  '7\t--- output of cell 2 ---',
  '8\t1',
  '9\t--- output of cell 2 ---',
  '10\t<Figure>',
  '11\t[image/png, 3x2 pixels]',
  '12\t--- output of cell 2 ---',
  '13\tValueError: no',
  '14\tline 1',
];
const note = '[notebook shown as text; the file itself is JSON, and Edit works on that]';

describe('notebooks', () => {
  test('cells are shown with their numbers, sources and outputs', async () => {
    const { context } = await bench({ 'a.ipynb': notebook });
    expect(await use(read, { file_path: 'a.ipynb' }, context)).toMatchObject({
      success: true,
      output: [...shown, note].join('\n'),
      metadata: { cells: 2 },
    });
    expect(context.seen.size).toBe(1);
  });

  test('a model with image support gets only the images of the lines it reads', async () => {
    const { context } = await bench({ 'a.ipynb': notebook });
    const sees = { ...context, accepts: { images: true } };
    expect(await use(read, { file_path: 'a.ipynb', offset: 11, limit: 1 }, sees)).toMatchObject({
      output: ['11\t[image/png, 3x2 pixels]', note, '[the first image is attached]'].join('\n'),
      images: [{ type: 'image', mediaType: 'image/png', data: png }],
    });
    expect(await use(read, { file_path: 'a.ipynb', limit: 3 }, sees)).not.toHaveProperty('images');
  });

  test('a long output is cut, a long notebook is paged', async () => {
    const cell = (text: string) => ({
      cell_type: 'code',
      source: 'x',
      outputs: [{ output_type: 'stream', text }],
    });
    const cells = Array.from({ length: 10 }, () => cell('y'.repeat(2_500)));
    const { context } = await bench({ 'a.ipynb': JSON.stringify({ cells }) });
    const small = { ...context, limits: resultLimits(16_000) };
    const result = await use(read, { file_path: 'a.ipynb' }, small);
    const output = result.success ? result.output : '';
    expect(output).toContain('\n5\t[output cut: 500 more characters]\n');
    expect(output.length).toBeLessThan(10_000);
    const lines = output.split('\n');
    const last = Number(lines.at(-3)?.split('\t')[0]);
    expect(lines.at(-1)).toBe(`[${50 - last} more lines: continue with offset ${last + 1}]`);
  });

  test('a file that only has the extension is read as text', async () => {
    const { context } = await bench({ 'a.ipynb': '{"worksheets": []}', 'b.ipynb': 'not json' });
    expect(await use(read, { file_path: 'a.ipynb' }, context)).toMatchObject({
      output: '1\t{"worksheets": []}',
    });
    expect(await use(read, { file_path: 'b.ipynb' }, context)).toMatchObject({ output: '1\tnot json' });
  });
});
