import { symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bench, makePipe, use } from '../../test/support/tool-context.ts';
import type { ToolResult } from '../contract/tool.ts';
import { resultLimits } from '../lib/results/result-limits.ts';
import { sha256 } from '../lib/sha256.ts';
import { cutLine } from '../lib/text/cut-line.ts';
import { type Encoding, encodeText } from '../lib/text/text-encoding.ts';
import { edit } from './edit.ts';
import { read } from './read.ts';
import { write } from './write.ts';

const encodings: Encoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'windows-1252'];

describe('[T06] [Y32] Read', () => {
  test('numbers lines from the offset on, and remembers the file', async () => {
    const { root, context } = await bench({ 'a.txt': 'one\ntwo\r\nthree\n' });
    expect(await use(read, { file_path: 'a.txt' }, context)).toEqual({
      success: true,
      output: '1\tone\n2\ttwo\n3\tthree',
      metadata: { lines: 3, sha256: sha256('one\ntwo\r\nthree\n'), encoding: 'utf-8' },
      summary: { kind: 'count', unit: 'line', count: 3, total: 3 },
    });
    expect(
      await use(read, { file_path: path.join(root, 'a.txt'), offset: 2, limit: 1 }, context),
    ).toMatchObject({
      output: '2\ttwo',
    });
    expect(context.seen).toEqual(new Map([[path.join(root, 'a.txt'), sha256('one\ntwo\r\nthree\n')]]));
  });

  test('[Y39] returns 2,000 whole lines, more when asked, less in a small window, and says how to continue', async () => {
    const { context } = await bench({ 'a.txt': Array.from({ length: 2_500 }, (_, i) => `l${i}`).join('\n') });
    const shownBy = async (input: object, window?: number) => {
      const limits = window === undefined ? {} : { limits: resultLimits(window) };
      const lines = outputOf(
        await use(read, { file_path: 'a.txt', ...input }, { ...context, ...limits }),
      ).split('\n');
      const shown = lines.length - 1;
      expect(lines.slice(-2)).toEqual([
        `${shown}\tl${shown - 1}`,
        `[${2_500 - shown} more lines: continue with offset ${shown + 1}]`,
      ]);
      return shown;
    };
    expect(await shownBy({})).toBe(2_000);
    expect(await shownBy({ offset: 0 })).toBe(2_000);
    expect(await shownBy({ offset: 1 }, 8_000)).toBeLessThan(800);
    expect(outputOf(await use(read, { file_path: 'a.txt', limit: 2_400 }, context)).split('\n')).toHaveLength(
      2_400,
    );
  });

  test('cuts a very long line, hides a byte order mark, and reports an empty file', async () => {
    const { context } = await bench({ long: 'x'.repeat(2_010), bom: '\uFEFFa', empty: '' });
    expect(await use(read, { file_path: 'long' }, context)).toMatchObject({
      output: `1\t${'x'.repeat(2_000)} [line cut: 10 more characters]\n[long lines are cut: Grep shows what matches in them; read on in line 1 with offset 1 and character 2001]`,
    });
    expect(await use(read, { file_path: 'bom' }, context)).toMatchObject({ output: '1\ta' });
    expect(await use(read, { file_path: 'empty' }, context)).toMatchObject({
      success: true,
      output: 'empty is empty.',
    });
  });

  test.each([
    ['in memory', 70_000],
    ['as a stream', 11_000_000],
  ])('a long line is read to its end by characters, %s', async (_how, length) => {
    const long = `${'x'.repeat(length - 60_000)}${'a😀日\t'.repeat(12_000)}`;
    const { context } = await bench({ 'one.js': long, 'three.js': `first\n${long}\r\nlast\n` });
    for (const [file_path, offset] of [
      ['one.js', undefined],
      ['three.js', 2],
    ] as const) {
      const start = await use(read, { file_path, offset: offset ?? 1, limit: 1 }, context);
      const line = offset ?? 1;
      expect(outputOf(start)).toContain(`read on in line ${line} with offset ${line} and character 2001]`);
      let character: number | undefined = length - 62_000;
      let text = '';
      while (character !== undefined) {
        const output = outputOf(await use(read, { file_path, offset, character }, context));
        expect(output.length).toBeLessThanOrEqual(50_000);
        const [shown = '', note = ''] = output.split('\n');
        expect(shown).toMatch(new RegExp(`^${line}\t`));
        text += shown.replace(/^\d+\t/, '').replace(/ \[line cut: \d+ more characters\]$/, '');
        const next = /^\[line \d continues: read on with offset (\d) and character (\d+)\]$/.exec(note);
        if (next) expect(Number(next[1])).toBe(line);
        character = next ? Number(next[2]) : undefined;
      }
      expect(text).toBe(long.slice(length - 62_001));
      const past = await use(read, { file_path, offset, character: length + 1 }, context);
      expect(past).toMatchObject({
        error: `Line ${line} of ${file_path} ends before character ${length + 1}.`,
      });
    }
  });

  test('a link to nowhere is named as such, and a Git LFS pointer as a pointer, also when it is edited', async () => {
    const oid = `oid sha256:${'0'.repeat(64)}`;
    const pointer = `version https://git-lfs.github.com/spec/v1\n${oid}\nsize 12345\n`;
    const { root, context } = await bench({ 'big.bin': pointer, 'near.txt': `see ${pointer}` });
    await symlink('nowhere', path.join(root, 'dangling'));
    expect(await use(read, { file_path: 'dangling' }, context)).toEqual({
      success: false,
      error: 'dangling is a link whose target does not exist.',
    });
    const note = /\[this is a Git LFS pointer, not the content of the file: `git lfs pull` downloads that\]/;
    expect(outputOf(await use(read, { file_path: 'big.bin' }, context))).toMatch(note);
    expect(outputOf(await use(read, { file_path: 'near.txt' }, context))).not.toMatch(note);
    const change = { file_path: 'big.bin', old_string: '12345', new_string: '99' };
    expect(outputOf(await use(edit, change, context))).toMatch(note);
    const whole = { file_path: 'big.bin', content: 'the content itself\n' };
    expect(outputOf(await use(write, whole, context))).not.toMatch(note);
  });

  test.each([
    ['src/contoller.ts', 'src/contoller.ts does not exist. Did you mean src/controller.ts?'],
    ['src/zzz', 'src/zzz does not exist. Its folder contains: controller.ts, deep/'],
    ['none/a.ts', 'none/a.ts does not exist, and neither does the folder none. Find it with Glob.'],
    ['bin', 'bin is binary, not text (4 bytes). Inspect it with a command.'],
  ])('%s: %s', async (file_path, error) => {
    const { context } = await bench({ 'src/controller.ts': '', 'src/deep/x': '', bin: 'a\0b\n' });
    expect(await use(read, { file_path }, context)).toEqual({ success: false, error });
  });

  test('an offset past the end is reported with the length', async () => {
    const { context } = await bench({ a: 'x\ny\n' });
    expect(await use(read, { file_path: 'a', offset: 3 }, context)).toEqual({
      success: false,
      error: 'a has 2 lines; line 3 is past its end.',
    });
  });

  test('a folder is answered with its listing', async () => {
    const { context } = await bench({ 'src/b.ts': '', 'src/a/x': '' });
    expect(await use(read, { file_path: 'src' }, context)).toEqual({
      success: true,
      output: 'src is a folder:\na/\nb.ts',
      summary: { kind: 'count', unit: 'entry', count: 2 },
    });
  });

  test('a folder too large for one answer is paged by offset, each name once', async () => {
    const { root, context } = await bench();
    const names = Array.from({ length: 120 }, (_, i) => `${String(i).padStart(3, '0')}${'n'.repeat(200)}`);
    await Promise.all(names.map((name) => writeFile(path.join(root, name), '')));
    const listed: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const output = outputOf(await use(read, { file_path: '.', offset }, context));
      expect(output.length).toBeLessThan(10_000);
      listed.push(...output.split('\n').filter((line) => line.endsWith('n')));
      offset = nextOffset(output);
    }
    expect(listed).toEqual(names);
  });

  test('refusals are passed through: secrets, links to them, loops, paths outside', async () => {
    const { root, context } = await bench({ '.env': 'KEY=canary' });
    await symlink('.env', path.join(root, 'notes.txt'));
    await symlink('loop', path.join(root, 'loop'));
    const attempt = (file_path: string) => use(read, { file_path }, context);
    await expect(attempt('.env')).rejects.toThrow(/^Permission denied/);
    await expect(attempt('notes.txt')).rejects.toThrow(
      /^Permission denied: .*environment files may contain secrets/,
    );
    await expect(attempt('loop')).rejects.toThrow(/^Permission denied: .*loop/);
    await expect(attempt('../home')).rejects.toThrow(/^Permission denied: .*outside/);
    expect(context.seen.size).toBe(0);
  });

  test.skipIf(process.platform === 'win32')('a pipe without a writer is answered at once', async () => {
    const { root, context } = await bench();
    makePipe(path.join(root, 'pipe'));
    expect(await use(read, { file_path: 'pipe' }, context)).toEqual({
      success: false,
      error:
        'pipe is a pipe, socket or device, not a regular file. If you need it, use a command with a timeout.',
    });
  });

  test('[T15] always reads the current content', async () => {
    const { root, context } = await bench({ a: 'old' });
    await use(read, { file_path: 'a' }, context);
    await writeFile(path.join(root, 'a'), 'new');
    expect(await use(read, { file_path: 'a' }, context)).toMatchObject({ output: '1\tnew' });
  });
});

describe('[N08] large files', () => {
  const line = (i: number) => `line ${i} ${'x'.repeat(90)}`;
  const large = Array.from({ length: 120_000 }, (_, i) => line(i)).join('\n');

  test('above 10 MB only a part is read, and only on request', async () => {
    const { context } = await bench({ 'big.log': large });
    expect(await use(read, { file_path: 'big.log' }, context)).toEqual({
      success: false,
      error:
        'big.log is 11.7 MB; only files up to 10 MB are read without offset or limit. ' +
        'Pass offset and limit to read part of it, or use Grep to find the lines you need.',
    });
    expect(await use(read, { file_path: 'big.log', offset: 100_001, limit: 2 }, context)).toEqual({
      success: true,
      output: `100001\t${line(100_000)}\n100002\t${line(100_001)}`,
      metadata: { size: large.length, sha256: null },
      summary: { kind: 'count', unit: 'line', count: 2 },
    });
    const paged = outputOf(await use(read, { file_path: 'big.log', offset: 0 }, context)).split('\n');
    expect(paged.length).toBeGreaterThan(80);
    expect(paged.at(-1)).toBe(`[more lines follow: continue with offset ${paged.length}]`);
    expect(context.seen.size).toBe(0);
    expect(outputOf(await use(read, { file_path: 'big.log', offset: 120_000 }, context))).toBe(
      `120000\t${line(119_999)}`,
    );
    expect([...context.seen.values()]).toEqual([sha256(large)]);
    expect(await use(read, { file_path: 'big.log', offset: 120_001 }, context)).toEqual({
      success: false,
      error: 'Line 120001 is past the end of big.log.',
    });
  });

  test('a large binary file is reported as such', async () => {
    const { root, context } = await bench({ big: '' });
    await truncate(path.join(root, 'big'), 12 * 1024 * 1024);
    await expect(use(read, { file_path: 'big', limit: 1 }, context)).rejects.toThrow(
      'The file is binary, not text. Inspect it with a command.',
    );
  });
});

describe('encodings', () => {
  test('a file that is not UTF-8 is read as windows-1252, with a note', async () => {
    const { root, context } = await bench();
    await writeFile(path.join(root, 'old.txt'), Buffer.from('caf\xe9\n\x80 5\n', 'latin1'));
    expect(await use(read, { file_path: 'old.txt' }, context)).toMatchObject({
      success: true,
      output: '1\tcafé\n2\t€ 5\n[not UTF-8: read as windows-1252]',
      metadata: { encoding: 'windows-1252' },
    });
  });

  test('broken UTF-8 is shown with replacement characters', async () => {
    const { root, context } = await bench();
    await writeFile(path.join(root, 'a'), Buffer.concat([Buffer.from('žluťoučký '), Buffer.from([0xff])]));
    expect(await use(read, { file_path: 'a' }, context)).toMatchObject({ output: '1\tžluťoučký \uFFFD' });
  });

  test('lines that end in a lone CR are lines', async () => {
    const { context } = await bench({ mac: 'one\rtwo\r', bar: '10%\r20%\ndone\n' });
    expect(outputOf(await use(read, { file_path: 'mac' }, context))).toBe('1\tone\n2\ttwo');
    expect(outputOf(await use(read, { file_path: 'bar' }, context))).toBe('1\t10%\r20%\n2\tdone');
  });

  test.each(encodings)('property: any text in %s is read as written', async (encoding) => {
    const { root, context } = await bench();
    // In windows-1252 é next to € is also valid UTF-8, which is ambiguous.
    const letters = ['a', 'é', 'ß', '\t', ...(encoding === 'windows-1252' ? [' €'] : ['€', '漢', '😀'])];
    const lines = fc.array(fc.string({ unit: fc.constantFrom(...letters), maxLength: 20 }), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n'), async (drawn, end) => {
        // Without it an ASCII-only windows-1252 text is UTF-8.
        const all = ['é', ...drawn];
        const bytes = encodeText(all.join(end) + end, encoding);
        await writeFile(path.join(root, 'a'), bytes ?? '');
        const output = outputOf(await use(read, { file_path: 'a' }, context));
        const expected = all.map((text, i) => `${i + 1}\t${text}`).join('\n');
        const note = encoding === 'windows-1252' ? '\n[not UTF-8: read as windows-1252]' : '';
        expect(output).toBe(expected + note);
      }),
      { numRuns: 40 },
    );
  });
});

test('[Y39] property: paging by the reported offsets shows every line exactly once', async () => {
  const { root, context } = await bench();
  const anyLine = fc.oneof(
    fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/[\r\n\0]/g, '')),
    fc.nat({ max: 5_000 }).map((length) => 'y'.repeat(length)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyLine, { minLength: 1, maxLength: 60 }), async (lines) => {
      const file = path.join(root, 'a');
      await writeFile(file, lines.map((line) => `${line}\n`).join(''));
      const shown: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const small = { ...context, limits: resultLimits(16_000) };
        const output = outputOf(await use(read, { file_path: 'a', offset }, small));
        expect(output.length).toBeLessThan(8_500);
        offset = nextOffset(output);
        shown.push(...output.split('\n').filter((line) => !line.startsWith('[')));
      }
      expect(shown).toEqual(lines.map((line, i) => `${i + 1}\t${cutLine(line)}`));
    }),
    { numRuns: 60 },
  );
});

function outputOf(result: ToolResult): string {
  if (!result.success) throw new Error(result.error);
  return result.output;
}

function nextOffset(output: string): number | undefined {
  const named = /\n\[\d+ more[^\n]*: continue with offset (\d+)\]$/.exec(output)?.[1];
  return named === undefined ? undefined : Number(named);
}
