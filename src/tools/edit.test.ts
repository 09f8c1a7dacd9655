import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { soak } from '../../test/support/soak.ts';
import { bench, use } from '../../test/support/tool-context.ts';
import { sha256 } from '../lib/sha256.ts';
import { type Encoding, encodeText } from '../lib/text/text-encoding.ts';
import { edit } from './edit.ts';
import { read } from './read.ts';

const change = (old_string: string, new_string: string, more: object = {}) => ({
  file_path: 'a.ts',
  old_string,
  new_string,
  ...more,
});

describe('[T08] [T09] [Y17] Edit', () => {
  test('replaces the only match and reports it', async () => {
    const { root, context, tree } = await bench({ 'a.ts': 'let x = 1;\nlet y = 2;\n' });
    expect(await use(edit, change('x = 1', 'x = $&'), context)).toEqual({
      success: true,
      output: 'File updated successfully',
      display: {
        kind: 'diff',
        path: 'a.ts',
        patch: '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-let x = 1;\n+let x = $&;\n let y = 2;\n',
        added: 1,
        removed: 1,
      },
      metadata: {
        path: path.join(root, 'a.ts'),
        replacements: 1,
        sha256: sha256('let x = $&;\nlet y = 2;\n'),
      },
    });
    expect(await tree()).toEqual({ 'a.ts': 'let x = $&;\nlet y = 2;\n' });
  });

  test('replaces all matches only on request', async () => {
    const { context, tree } = await bench({ 'a.ts': 'x\nx\ny x\n' });
    expect(await use(edit, change('x', 'z'), context)).toEqual({
      success: false,
      error: 'String appears 3 times. Use replace_all or provide more context.\nIt starts on lines 1, 2, 3.',
    });
    expect(await use(edit, change('x', 'xx', { replace_all: true }), context)).toMatchObject({
      success: true,
      metadata: { replacements: 3 },
    });
    expect(await tree()).toEqual({ 'a.ts': 'xx\nxx\ny xx\n' });
  });

  test.each([
    [
      'nothing similar',
      change('qqqqqqqqqqqq', 'z'),
      'String not found in file\nNothing in it looks similar. Read the file again.',
    ],
    [
      'a near miss, also with replace_all',
      change('  const total = sums(items);\n  return;', 'z', { replace_all: true }),
      'String not found in file\nThe nearest text is this; copy it exactly, without the line numbers:\n2\t  const total = sum(items);\n3\t  return total;',
    ],
    [
      'no text',
      change('', 'z'),
      'old_string is empty. Pass the text to replace, or use Write for a new file.',
    ],
    ['no change', change('a', 'a'), 'old_string and new_string are the same; there is nothing to change.'],
    [
      'half a character',
      change('a', '\ud83d'),
      'The text contains half of a character (a lone surrogate). Send it complete.',
    ],
    [
      'a wrong checksum',
      change('total', 'z', { checksum: sha256('else') }),
      'File modified since last read\nRead a.ts again, then repeat the edit.',
    ],
    [
      'a missing file',
      change('a', 'b', { file_path: 'b.ts' }),
      'b.ts does not exist. Find it with Glob, or create it with Write.',
    ],
    ['a folder', change('a', 'b', { file_path: '.' }), '. is a folder. Specify a file in it.'],
    [
      'a binary file',
      change('a', 'b', { file_path: 'bin' }),
      'bin is binary, not text. If you must change it, use a command.',
    ],
  ])('%s is refused and nothing is changed', async (_, input, error) => {
    const files = { 'a.ts': 'function f() {\n  const total = sum(items);\n  return total;\n}\n', bin: 'a\0' };
    const { context, tree } = await bench(files);
    expect(await use(edit, input, context)).toEqual({ success: false, error });
    expect(await tree()).toEqual(files);
  });

  test.each([
    ['a line after it', 'one\ntwo\nthree\n', 'one\ntwo\nthree\nfour\n', 'now lines 4'],
    ['a line before it', 'one\ntwo\nthree\n', 'zero\none\ntwo\nthree\n', 'now lines 1'],
    ['a line of another function', 'one\n\n\n\ntwo\n', 'one\n\n\n\nTWO\n', 'now lines 4-5'],
  ])(
    'an edit is made although %s changed since, and the change is reported',
    async (_, before, now, where) => {
      const { root, context } = await bench({ 'a.ts': before });
      await use(read, { file_path: 'a.ts' }, context);
      await writeFile(path.join(root, 'a.ts'), now);
      expect(await use(edit, change('one', 'ONE'), context)).toMatchObject({
        success: true,
        output: expect.stringContaining(
          `File updated successfully\nThe file was changed elsewhere since you read it (${where}); that change was kept.\nThe lines are now:\n`,
        ),
      });
      expect(await readFile(path.join(root, 'a.ts'), 'utf8')).toBe(now.replace('one', 'ONE'));
    },
  );

  test.each([
    ['a("x")\n', 'a(\u201Cx\u201D)', 'b', 'b\n', /curly quotes/],
    ['a\nb\n', 'a\\nb', 'c\\nd', 'c\nd\n', /escapes such as/],
    ['say "x"\n', 'say \\"x\\"', 'y', 'y\n', /escapes such as/],
  ])('%j is found by %j, and the spelling is named', async (before, old, fresh, after, note) => {
    const { root, context } = await bench({ 'a.ts': before });
    const result = await use(edit, change(old, fresh), context);
    expect(result.success ? result.output : result.error).toMatch(note);
    expect(await readFile(path.join(root, 'a.ts'), 'utf8')).toBe(after);
  });

  test('text that changed, or now occurs twice, is left alone', async () => {
    const { root, context, tree } = await bench({ 'a.ts': 'one\n' });
    await use(read, { file_path: 'a.ts' }, context);
    for (const [now, all] of [
      ['one, meanwhile\n', false],
      ['one\none\n', true],
    ] as const) {
      await writeFile(path.join(root, 'a.ts'), now);
      expect(await use(edit, change('one', 'two', { replace_all: all }), context)).toEqual({
        success: false,
        error: 'File modified since last read\nRead a.ts again, then repeat the edit.',
      });
      expect(await tree()).toEqual({ 'a.ts': now });
    }
    await writeFile(path.join(root, 'a.ts'), 'one\nmeanwhile\n');
    await use(read, { file_path: 'a.ts' }, context);
    expect(await use(edit, change('one', 'two'), context)).toMatchObject({ success: true });
  });

  test('consecutive edits need no read in between, and a correct checksum is always accepted', async () => {
    const { context, tree } = await bench({ 'a.ts': 'a b c' });
    await use(edit, change('a', 'A', { checksum: sha256('a b c').toUpperCase() }), context);
    expect(await use(edit, change('c', 'C'), context)).toMatchObject({ success: true });
    expect(await tree()).toEqual({ 'a.ts': 'A b C' });
  });

  test('CRLF, byte order mark and undecodable bytes survive', async () => {
    const { root, context } = await bench();
    const file = path.join(root, 'a.ts');
    await writeFile(file, Buffer.from('\xef\xbb\xbfone\r\ntwo\r\n\xff\r\n', 'latin1'));
    await use(read, { file_path: 'a.ts' }, context);
    expect(await use(edit, change('one\ntwo', '1\n2\n3'), context)).toMatchObject({ success: true });
    expect(await readFile(file, 'latin1')).toBe('\xef\xbb\xbf1\r\n2\r\n3\r\n\xff\r\n');
    expect(await use(edit, change('1\r\n', '1\n'), context)).toMatchObject({
      success: false,
      error: expect.stringMatching(/^The edit changes nothing/),
    });
  });

  test('10 MB are edited fast enough', soak, async () => {
    const line = 'some text that stands here for the sake of its length\r\n';
    const big = `${line.repeat(90_000)}target\r\n${line.repeat(90_000)}`;
    const { root, context } = await bench({ 'a.ts': big });
    const timed = async (old: string, text: string) => {
      const started = performance.now();
      const { success } = await use(edit, change(old, text), context);
      expect(performance.now() - started).toBeLessThan(20_000);
      return success;
    };
    expect(await timed('target\n', 'hit\n')).toBe(true);
    expect(await timed('  hit', '  target')).toBe(true);
    expect(await timed('some text that stands here for the sake of its lengths', '')).toBe(false);
    expect(await timed('target', 'hit')).toBe(true);
    expect((await readFile(path.join(root, 'a.ts'), 'utf8')) === big.replace('target', 'hit')).toBe(true);
  });

  test.each<[Encoding, string, string]>([
    ['utf-16le', 'grüße 😀\r\nwelt\r\n', 'grüße 🎈\r\nneue\r\nzeile\r\n'],
    ['utf-16be', 'grüße 😀\r\nwelt\r\n', 'grüße 🎈\r\nneue\r\nzeile\r\n'],
    ['utf-8-bom', 'grüße 😀\nwelt\n', 'grüße 🎈\nneue\nzeile\n'],
    ['windows-1252', 'grüße €\rwelt\r', 'grüße Ÿ\rneue\rzeile\r'],
  ])('%s is preserved', async (encoding, before, after) => {
    const { root, context } = await bench();
    const file = path.join(root, 'a.ts');
    const bytes = (text: string) => Buffer.from(encodeText(text, encoding) ?? '');
    await writeFile(file, bytes(before));
    const last = (text: string) => text.split(/\r?\n|\r/)[0]?.slice(6) ?? '';
    const input = change(`${last(before)}\nwelt`, `${last(after)}\nneue\nzeile`);
    expect(await use(edit, input, context)).toMatchObject({
      success: true,
      display: { patch: expect.stringContaining(`-grüße ${last(before)}`) },
    });
    expect(await readFile(file)).toEqual(bytes(after));
  });

  test("a character that the file's encoding lacks is refused, with the alternative", async () => {
    const { root, context } = await bench();
    await writeFile(path.join(root, 'a.ts'), Buffer.from('caf\xe9\n', 'latin1'));
    expect(await use(edit, change('café', 'cafe →'), context)).toEqual({
      success: false,
      error:
        'The file is in windows-1252, which cannot represent → (U+2192). ' +
        'Avoid it, or convert the file to UTF-8 first, for example with iconv.',
    });
    expect(await use(edit, change('→', 'x'), context)).toMatchObject({
      error: expect.stringMatching(/^String not found in file\n/),
    });
    expect(await readFile(path.join(root, 'a.ts'), 'latin1')).toBe('caf\xe9\n');
  });

  test('lines that differ only in trailing whitespace match, and the model is notified', async () => {
    const { context, tree } = await bench({ 'a.ts': 'if (a) {\r\n\tb();\t\r\n\tc();\r\n}\r\n' });
    expect(
      await use(edit, change('    b();\n    c();\n', '    b();\n    d();\n        e();\n'), context),
    ).toMatchObject({
      success: true,
      output:
        'File updated successfully\nold_string was not found exactly; lines 2 to 3 matched except for leading and ' +
        'trailing whitespace, and new_string was indented to fit.\n' +
        'The line endings in old_string are not those of the file, which were kept.\n' +
        'The lines are now:\n2\t\tb();\t\n3\t\td();\n4\t\t\te();\n5\t}',
    });
    expect(await tree()).toEqual({ 'a.ts': 'if (a) {\r\n\tb();\t\r\n\td();\r\n\t\te();\r\n}\r\n' });
  });

  test('line numbers pasted from Read are dropped, and the model is notified', async () => {
    const { context, tree } = await bench({ 'a.ts': 'one\ntwo\n\nthree\n' });
    const told = 'The line numbers were removed: they are not part of the file.';
    expect(await use(edit, change('2\ttwo\n3\t\n4\tthree', '2\tTWO\n3\tTHREE'), context)).toMatchObject({
      output: `File updated successfully\n${told}\nThe lines are now:\n1\tone\n2\tTWO\n3\tTHREE`,
    });
    expect(await use(edit, change('2\tTWO', 'zwei'), context)).toMatchObject({ success: true });
    expect(await tree()).toEqual({ 'a.ts': 'one\nzwei\nTHREE\n' });
  });

  test.each([
    ['numbers that are data', '1\tfoo\n2\tbar\n', change('1\tbar', '1\tbaz'), '2\t2\tbar'],
    ['numbers on some new lines only', 'foo\n', change('1\tfoo', '1\tbar\nx\n7\ty'), '1\tfoo'],
    ['similar in two places', '  a = 1;\nx\n    a = 1;\n', change('\ta = 1;', '\ta = 2;'), '1\t  a = 1;'],
    ['similar only', 'const total = 1;\n', change('const totals = 1;', 'x'), '1\tconst total = 1;'],
  ])('%s: refused with the nearest text', async (_, text, input, near) => {
    const { context, tree } = await bench({ 'a.ts': text });
    expect(await use(edit, input, context)).toEqual({
      success: false,
      error: `String not found in file\nThe nearest text is this; copy it exactly, without the line numbers:\n${near}`,
    });
    expect(await tree()).toEqual({ 'a.ts': text });
  });

  test('the preview shows the change without making it', async () => {
    const { context, tree } = await bench({ 'a.ts': 'old\n' });
    const input = edit.input.parse(change('old', 'new'));
    expect(await edit.preview?.(input, context)).toMatchObject({ kind: 'diff', added: 1, removed: 1 });
    expect(await edit.preview?.(edit.input.parse(change('nope', 'new')), context)).toMatchObject({
      kind: 'refused',
      error: expect.stringContaining('String not found in file'),
    });
    expect(await tree()).toEqual({ 'a.ts': 'old\n' });
  });
});
