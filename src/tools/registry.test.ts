import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../contract/tool.ts';
import { builtinTools } from './index.ts';
import { read } from './read.ts';
import { createRegistry } from './registry.ts';

const registry = createRegistry(builtinTools());

describe('[T01] [T18] the registry', () => {
  test.each([
    ['Read', 'Read'],
    ['read', 'Read'],
    ['read_file', 'Read'],
    ['file_read', 'Read'],
    ['readFile', 'Read'],
    ['list_files', 'List'],
    ['delete_file', 'Delete'],
    ['write_file', 'Write'],
    ['file_write', 'Write'],
    ['edit_file', 'Edit'],
    ['str_replace', 'Edit'],
    ['GLOB', 'Glob'],
    ['grep-search', 'Grep'],
    ['run_command', 'Bash'],
    ['shell', 'Bash'],
    ['Teleport', undefined],
    ['', undefined],
  ])('[T17] [Y15] %s is %s', (name, canonical) => {
    expect(registry.find(name)?.name).toBe(canonical);
  });

  test('no two tools share an alias, and a duplicate tool name is an error', () => {
    const words = builtinTools().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(words.filter((word) => !registry.find(word))).toEqual([]);
    const plain = words.map((word) => word.toLowerCase().replaceAll('_', ''));
    expect(plain.filter((word, index) => plain.indexOf(word) !== index)).toEqual([]);
    expect(() => createRegistry([read, read])).toThrow('Two tools are named Read.');
  });

  test('a definition is plain JSON Schema where fields with defaults are optional', () => {
    const edit = registry.definitions().find(({ name }) => name === 'Edit');
    expect(edit?.parameters).toMatchObject({
      type: 'object',
      properties: { replace_all: { type: 'boolean' } },
      required: ['file_path', 'old_string', 'new_string'],
    });
    expect(edit?.parameters).not.toHaveProperty('$schema');
  });

  test('[K01] obvious constraints are omitted, because they are sent with every request', () => {
    const said = JSON.stringify(registry.definitions());
    expect(said).not.toMatch(/"(minLength|minItems)":1\b|"minimum":[01]\b|"default":(false|0|\[\])/);
    expect(said).toContain('"default":"content"');
  });

  test.each(registry.definitions())(
    '$name compiles in an independent validator and requires only fields without a default',
    ({ name, parameters }) => {
      const validate = new Ajv({ strict: true }).compile(parameters);
      const least: Record<string, object> = {
        Read: { file_path: 'a' },
        Write: { file_path: 'a', content: '' },
        Edit: { file_path: 'a', old_string: 'a', new_string: 'b' },
        Glob: { pattern: '*' },
        Grep: { pattern: 'x' },
        Bash: { command: 'ls' },
        MultiEdit: { edits: [{ file_path: 'a', old_string: 'a', new_string: 'b' }] },
        Search: { query: 'x' },
        List: {},
        BashOutput: { id: 'bg_1' },
        KillShell: { id: 'bg_1' },
        Delete: { file_path: 'a' },
        WebFetch: { url: 'https://example.com' },
        Todo: { items: [] },
        AskUser: { question: 'Which?' },
        PresentPlan: { plan: '1. Look.' },
        Recall: { query: 'flaky test' },
        Explore: { description: 'find it', prompt: 'Where is it?' },
        Task: { description: 'do it', prompt: 'Do it.' },
        WebSearch: { query: 'node streams' },
        Diagnostics: { file_path: 'a' },
        Navigate: { action: 'outline' },
        RenameSymbol: { file_path: 'a', line: 1, symbol: 'a', new_name: 'b' },
      };
      expect(validate(least[name])).toBe(true);
      expect(validate({ nonsense: true }) && name !== 'List').toBe(false);
      expect(registry.find(name)?.input.safeParse(least[name]).success).toBe(true);
    },
  );

  test('all tools together stay small: under 3,000 tokens at four characters each, and 400 more with language servers', () => {
    const tokens = (tools: readonly Tool[]) => JSON.stringify(createRegistry(tools).definitions()).length / 4;
    const usual = tokens(builtinTools({ code: null }));
    expect(usual).toBeLessThan(3_000);
    expect(tokens(builtinTools()) - usual).toBeLessThan(400);
  });
});
