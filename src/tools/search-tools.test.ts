import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, makePipe, use } from '../../test/support/tool-context.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';

describe('Glob', () => {
  test('lists paths for the model and for the display', async () => {
    const { root, context } = await bench({ 'src/a.ts': '', 'b.js': '' });
    const expected = {
      success: true,
      output: 'src/a.ts',
      display: { kind: 'files', paths: ['src/a.ts'], total: 1 },
      metadata: { total: 1 },
    };
    expect(await use(glob, { pattern: '**/*.ts' }, context)).toEqual(expected);
    expect(await use(glob, { pattern: './src/*.ts' }, context)).toEqual(expected);
    expect(await use(glob, { pattern: path.join(root, 'src/*.ts') }, context)).toEqual(expected);
    expect(await use(glob, { pattern: '../*/a.ts', path: 'src' }, context)).toEqual(expected);
  });

  test('a name with a newline stays on one line', async () => {
    const { context } = await bench({ 'a\nb.ts': '' });
    expect(await use(glob, { pattern: '*.ts' }, context)).toMatchObject({ output: '"a\\nb.ts"' });
  });

  test('names the folder it would read', () => {
    const targets = [{ pattern: '*.ts' }, { pattern: '*.ts', path: 'src' }, { pattern: '/etc/*' }].map(
      (input) => glob.access(input),
    );
    expect(targets).toEqual(['.', 'src', '/etc'].map((target) => [{ kind: 'read', target }]));
  });

  test('reports omitted results, no matches, and a path that is not a folder', async () => {
    const many = Object.fromEntries(Array.from({ length: 205 }, (_, i) => [`f${i}.ts`, '']));
    const { context } = await bench(many);
    const result = await use(glob, { pattern: '*.ts' }, context);
    expect(result.success && result.output.split('\n').slice(-1)).toEqual([
      '[5 more files; narrow the pattern to see more]',
    ]);
    expect(await use(glob, { pattern: '*.py' }, context)).toMatchObject({
      output:
        'No file matches *.py. Ignored and hidden files were skipped; set include_ignored to search them, too.',
    });
    expect(await use(glob, { pattern: '*', path: 'f1.ts' }, context)).toEqual({
      success: false,
      error: 'f1.ts is not a folder. Pass a folder as path, or omit it.',
    });
    await expect(use(glob, { pattern: '/etc/*' }, context)).rejects.toThrow(/^Permission denied/);
  });
});

describe('Grep', () => {
  test('returns lines, files or counts', async () => {
    const { context } = await bench({ 'a.ts': 'x\nHit\n', 'b.js': 'hit\n' });
    const said = async (input: object) => {
      const result = await use(grep, { pattern: 'hit', ...input }, context);
      return result.success ? result.output : result.error;
    };
    expect(await said({})).toBe('b.js:1:hit');
    expect(await said({ ignore_case: true, context: 1 })).toBe('b.js:1:hit\n--\na.ts-1-x\na.ts:2:Hit');
    expect(await said({ ignore_case: true, glob: './*.ts', mode: 'files' })).toBe('a.ts');
    expect(await said({ ignore_case: true, mode: 'count' })).toBe('b.js:1\na.ts:1');
    expect(await said({ pattern: 'none' })).toBe('Nothing matches none.');
    expect(await said({ path: 'gone' })).toBe('gone does not exist. Find it with Glob, or omit path.');
  });

  test('hidden and ignored files only on request', async () => {
    const { context } = await bench({
      '.gitignore': 'out\n',
      'out/a.ts': 'hit\n',
      '.b.ts': 'hit\n',
      '.env': 'hit\n',
    });
    const outputs = async (tool: typeof grep, input: object) =>
      Promise.all(
        [false, true].map(async (include_ignored) => {
          const result = await use(tool, { ...input, include_ignored }, context);
          return result.success && result.output;
        }),
      );
    expect(await outputs(grep, { pattern: 'hit', mode: 'files' })).toEqual([
      'Nothing matches hit.',
      '.b.ts\nout/a.ts',
    ]);
    expect((await outputs(glob, { pattern: '**/*.ts' }))[1]).toBe('.b.ts\nout/a.ts');
  });

  test('file types and multi-line matches', async () => {
    const { context } = await bench({ 'a.py': 'hit\nend\n', 'b.tsx': 'hit\nend\n' });
    const said = async (input: object) => {
      const result = await use(grep, { pattern: 'hit', ...input }, context);
      return result.success && result.output;
    };
    expect(await said({ type: 'tsx' })).toBe('b.tsx:1:hit');
    expect(await said({ pattern: 'hit.end', multiline: true, type: 'py' })).toBe('a.py:1:hit\na.py:2:end');
    expect(await said({ pattern: 'hit.end' })).toBe('Nothing matches hit.end.');
    await expect(use(grep, { pattern: 'x', type: 'klingon' }, context)).rejects.toThrow(
      /unrecognized file type: klingon/,
    );
  });

  test('a pipe does not block it', async () => {
    const { root, context } = await bench();
    makePipe(path.join(root, 'pipe'));
    expect(await use(grep, { pattern: 'x', path: 'pipe' }, context)).toEqual({
      success: false,
      error: 'pipe is a pipe, socket or device. Pass a file or a folder, or omit path.',
    });
  });

  test('[Y39] the page ends before the router would cut it', async () => {
    const { context } = await bench({ a: `hit${'x'.repeat(100)}${' '.repeat(200)}\n`.repeat(150) });
    const result = await use(grep, { pattern: 'hit' }, context);
    const lines = result.success ? result.output.split('\n') : [];
    expect(lines.join('\n').length).toBeLessThan(20_500);
    expect(lines.at(-1)).toBe(`[${150 - (lines.length - 1)} more: continue with offset ${lines.length}]`);
  });

  test('reports how much it omitted', async () => {
    const { context } = await bench({ a: 'hit\n'.repeat(250) });
    const result = await use(grep, { pattern: 'hit' }, context);
    expect(result.success && result.output.split('\n').slice(-2)).toEqual([
      'a:200:hit',
      '[50 more: continue with offset 201]',
    ]);
  });
});
