import { symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, makePipe, use } from '../../test/support/hands.ts';
import { sha256 } from '../lib/sha256.ts';
import { read } from './read.ts';

describe('[T06] [Y32] Read', () => {
  test('numbers lines after those it skips, and remembers the file', async () => {
    const { root, context } = await bench({ 'a.txt': 'one\ntwo\r\nthree\n' });
    expect(await use(read, { file_path: 'a.txt' }, context)).toEqual({
      success: true,
      output: '1\tone\n2\ttwo\n3\tthree',
      metadata: { lines: 3, sha256: sha256('one\ntwo\r\nthree\n') },
    });
    expect(
      await use(read, { file_path: path.join(root, 'a.txt'), offset: 1, limit: 1 }, context),
    ).toMatchObject({
      output: '2\ttwo',
    });
    expect(context.seen).toEqual(new Map([[path.join(root, 'a.txt'), sha256('one\ntwo\r\nthree\n')]]));
  });

  test('stops after 2,000 lines and says how to go on', async () => {
    const { context } = await bench({ 'a.txt': Array.from({ length: 2_500 }, (_, i) => `l${i}`).join('\n') });
    const result = await use(read, { file_path: 'a.txt' }, context);
    const lines = (result.success ? result.output : '').split('\n');
    expect(lines.length).toBe(2_001);
    expect(lines.slice(-2)).toEqual(['2000\tl1999', '[500 more lines: pass offset 2000 to go on]']);
  });

  test('cuts a very long line, hides a byte order mark, and says that a file is empty', async () => {
    const { context } = await bench({ long: 'x'.repeat(2_010), bom: '\uFEFFa', empty: '' });
    expect(await use(read, { file_path: 'long' }, context)).toMatchObject({
      output: `1\t${'x'.repeat(2_000)} [line cut: 10 more characters]`,
    });
    expect(await use(read, { file_path: 'bom' }, context)).toMatchObject({ output: '1\ta' });
    expect(await use(read, { file_path: 'empty' }, context)).toMatchObject({
      success: true,
      output: 'empty is empty.',
    });
  });

  test.each([
    ['src/contoller.ts', 'src/contoller.ts does not exist. Did you mean src/controller.ts?'],
    ['src/zzz', 'src/zzz does not exist. Its folder holds: controller.ts, deep/'],
    ['none/a.ts', 'none/a.ts does not exist, and neither does the folder none. Find it with Glob.'],
    ['bin', 'bin is not UTF-8 text (4 bytes, binary or UTF-16). Inspect it with a command.'],
  ])('%s: %s', async (file_path, error) => {
    const { context } = await bench({ 'src/controller.ts': '', 'src/deep/x': '', bin: 'a\0b\n' });
    expect(await use(read, { file_path }, context)).toEqual({ success: false, error });
  });

  test('an offset past the end is told with the length', async () => {
    const { context } = await bench({ a: 'x\ny\n' });
    expect(await use(read, { file_path: 'a', offset: 2 }, context)).toEqual({
      success: false,
      error: 'a has 2 lines; offset 2 is past its end.',
    });
  });

  test('a folder is answered with its listing', async () => {
    const { context } = await bench({ 'src/b.ts': '', 'src/a/x': '' });
    expect(await use(read, { file_path: 'src' }, context)).toEqual({
      success: true,
      output: 'src is a folder:\na/\nb.ts',
    });
  });

  test('refusals of the hands come through: secrets, links to them, pipes, 12 MB, loops', async () => {
    const { root, context } = await bench({ '.env': 'KEY=canary', big: '' });
    await symlink('.env', path.join(root, 'notes.txt'));
    await symlink('loop', path.join(root, 'loop'));
    await truncate(path.join(root, 'big'), 12 * 1024 * 1024);
    makePipe(path.join(root, 'pipe'));
    const attempt = (file_path: string) => use(read, { file_path }, context);
    await expect(attempt('.env')).rejects.toThrow(/^Permission denied/);
    await expect(attempt('notes.txt')).rejects.toThrow(
      /^Permission denied: .*environment files hold secrets/,
    );
    await expect(attempt('loop')).rejects.toThrow(/^Permission denied: .*loop/);
    await expect(attempt('../home')).rejects.toThrow(/^Permission denied: .*outside/);
    await expect(attempt('pipe')).rejects.toThrow(/pipe, socket or device/);
    await expect(attempt('big')).rejects.toThrow(/12\.0 MB/);
    expect(context.seen.size).toBe(0);
  });

  test('[T15] always reads what is there now', async () => {
    const { root, context } = await bench({ a: 'old' });
    await use(read, { file_path: 'a' }, context);
    await writeFile(path.join(root, 'a'), 'new');
    expect(await use(read, { file_path: 'a' }, context)).toMatchObject({ output: '1\tnew' });
  });
});
