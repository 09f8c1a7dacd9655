import { describe, expect, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { bench, use } from '../../../test/support/tool-context.ts';
import { applyPatch } from '../apply-patch.ts';
import { edit } from '../edit.ts';
import { write } from '../write.ts';

const outputOf = async (result: Promise<object>) => ((await result) as { output: string }).output;

describe('the answer to an edit', () => {
  test.each([
    ['a.json', '{"a": 1}', '1}', '1', /^a\.json is no longer valid JSON: /m],
    ['a.yaml', 'a: 1\nb: [1]\n', '[1]', '[1', /^a\.yaml is no longer valid YAML: /m],
    ['a.toml', 'a = 1\n', '1', '', /^a\.toml is no longer valid TOML: /m],
  ])('says that %s no longer parses', async (file, before, old_string, new_string, says) => {
    const { context } = await bench({ [file]: before });
    expect(await outputOf(use(edit, { file_path: file, old_string, new_string }, context))).toMatch(says);
  });

  test.each([
    ['a file that was broken before', 'a.json', '{"a": 1', '1', '2'],
    ['settings with comments', 'tsconfig.json', '{"a": 1}', '1}', '1, // one\n}'],
    ['what is not checked', 'a.txt', '{"a": 1}', '1}', '1'],
    ['a file that is still valid', 'b.yml', 'a: !Ref b\n---\nb: 1\n', '1', '2'],
  ])('says nothing about %s', async (_, file, before, old_string, new_string) => {
    const { context } = await bench({ [file]: before });
    expect(await outputOf(use(edit, { file_path: file, old_string, new_string }, context))).toBe(
      'File updated successfully',
    );
  });

  test.skipIf(noBubblewrap !== null).each([
    [
      'a.py',
      'def f():\n    return 1\n',
      '    return',
      'return',
      /^a\.py is no longer valid Python: line 2: /m,
    ],
    ['a.mjs', 'export const a = 1;\n', '= 1', '= ;', /^a\.mjs is no longer valid JavaScript: Unexp/m],
    ['a.sh', 'if true; then\n  ls\nfi\n', 'fi\n', '', /^a\.sh is no longer valid shell: line \d: syntax/m],
    ['a.py', 'print "broken before"\nx = 1\n', '1', '(', /^File updated successfully$/],
    ['a.py', 'x = 1\n', '1', '2', /^File updated successfully$/],
  ])('asks the programs of a language about %s', async (file, before, old_string, new_string, says) => {
    const { context, ...space } = await bench({ [file]: before });
    const { syntaxFault } = sandboxedShellIn(space);
    const input = { file_path: file, old_string, new_string };
    expect(await outputOf(use(edit, input, { ...context, syntaxFault }))).toMatch(says);
  });

  test('the same for new files and patches', async () => {
    const { context } = await bench({ 'b.json': '{}\n' });
    expect(await outputOf(use(write, { file_path: 'a.json', content: '{' }, context))).toMatch(
      /^File created successfully\na\.json is not valid JSON/,
    );
    const patch = '*** Begin Patch\n*** Update File: b.json\n@@\n-{}\n+{\n*** End Patch';
    expect(await outputOf(use(applyPatch, { patch }, context))).toMatch(/b\.json is no longer valid JSON/);
  });

  test('shows every place of a replacement of all, each line cut', async () => {
    const { context } = await bench({ 'a.txt': `x\n${'-\n'.repeat(9)}${'x'.repeat(9_000)}\n` });
    const result = await outputOf(
      use(edit, { file_path: 'a.txt', old_string: 'x\n', new_string: 'y\n', replace_all: true }, context),
    );
    expect(result).toMatch(/^File updated successfully\nThe lines are now:\n1\ty\n2\t-\n…\n10\t-\n11\tx/);
    expect(result.length).toBeLessThan(3_000);
  });
});
