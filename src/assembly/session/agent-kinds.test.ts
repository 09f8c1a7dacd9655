import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-context.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { type AgentKind, hasTool, kindNamed, readOnlyContext } from './agent-kinds.ts';

const registry = createRegistry(builtinTools());
const nameOf = (word: string) => registry.find(word)?.name;
const kind = (tools?: string[]): AgentKind => ({
  name: 'a',
  description: '',
  prompt: 'x',
  ...(tools && { tools }),
});
const toolsOf = (one: AgentKind) =>
  registry.list().flatMap(({ name }) => (hasTool(one, name, nameOf) ? [name] : []));

describe('[Y16] tools of a subagent', () => {
  test('without a list, all but the one for plans; with one, the listed ones, by any of their names', () => {
    expect(toolsOf(kind())).toEqual(
      registry.list().flatMap(({ name }) => (name === 'PresentPlan' ? [] : [name])),
    );
    expect(toolsOf(kind(['read_file', 'Grep', 'nothing']))).toEqual(['Read', 'Grep']);
  });

  test.each([
    [['mcp:github'], true],
    [['mcp:github:*'], true],
    [['mcp:*'], true],
    [['mcp:github:search'], true],
    [['github:search'], true],
    [['mcp:git'], false],
    [['mcp:github:searches'], false],
    [['Read'], false],
  ])('%j of MCP servers', (tools, has) => {
    expect(hasTool(kind(tools), 'github:search', nameOf)).toBe(has);
  });

  test('Explore and review only read and search, whatever other tools exist', () => {
    for (const name of ['Explore', 'review']) {
      const found = kindNamed(name, []);
      if (typeof found === 'string') throw new Error(found);
      expect(toolsOf(found)).toEqual(['Read', 'Glob', 'Grep', 'Search', 'List']);
      expect(hasTool(found, 'github:search', nameOf)).toBe(false);
    }
  });

  test('an unknown name is answered with the known ones', () => {
    expect(kindNamed('explor', [kind()])).toBe(
      'Unknown subagent explor. Did you mean Explore? Available: general, Explore, a.',
    );
  });
});

test('a read-only context rejects every change', async () => {
  const { context, tree } = await bench({ 'a.txt': 'alpha' });
  const { files, shell, web, ask } = readOnlyContext(context);
  const { signal } = context;
  const bytes = Buffer.from('x');
  const deeds = [
    () => files.write('a.txt', bytes),
    () => files.writeAll([{ path: 'b.txt', bytes }]),
    () => files.remove('a.txt'),
    () => shell.run({ command: 'touch c', timeoutMs: 1000, signal }),
    () => shell.start({ command: 'touch d' }),
    () => web.get('https://example.com', signal),
  ];
  for (const deed of deeds) await expect(deed()).rejects.toThrow('this subagent is read-only');
  expect(await ask({ question: '?', choices: [] }, signal)).toBe(null);
  expect(Buffer.from((await files.read('a.txt')).bytes).toString()).toBe('alpha');
  expect(await tree()).toEqual({ 'a.txt': 'alpha' });
});
