import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-context.ts';
import { ruleNames } from '../../permissions/pattern/tool-names.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRegistry } from '../../tools/registry.ts';
import { type AgentKind, hasTool, isLimited, kindNamed, limitsOf, readOnlyContext } from './agent-kinds.ts';

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

  const without: [disallowed: string[], tool: string, has: boolean][] = [
    [['Write', 'Edit'], 'Write', false],
    [['Write', 'Edit'], 'Edit', false],
    [['Edit'], 'MultiEdit', false],
    [['Edit'], 'Delete', false],
    [['Write'], 'Delete', false],
    [['Edit'], 'Write', true],
    [['Write', 'Edit'], 'Read', true],
    [['Bash'], 'Bash', false],
    [['Bash'], 'KillShell', false],
    [['Bash(rm:*)'], 'Bash', true],
    [['Agent'], 'Task', false],
    [['Task'], 'Explore', false],
    [['LS'], 'List', false],
    [['TodoWrite'], 'Todo', false],
    [['write_file'], 'Write', false],
    [['*'], 'Read', false],
    [['mcp__github'], 'github:search', false],
    [['mcp__github__*'], 'github:search', false],
    [['mcp__*'], 'github:search', false],
    [['mcp:github'], 'github:search', false],
    [['mcp__github__create'], 'github:search', true],
    [['mcp__github'], 'Read', true],
  ];
  test.each(without)('without %j, %s: %s', (disallowedTools, tool, has) => {
    expect(hasTool({ ...kind(), disallowedTools }, tool, nameOf)).toBe(has);
    expect(hasTool({ ...kind([tool]), disallowedTools }, tool, nameOf)).toBe(has);
  });

  test.each([
    [['mcp__github'], true],
    [['mcp__github__search'], true],
    [['mcp__github__sea*'], true],
    [['mcp__git'], false],
    [['mcp__*'], false],
  ])('%j, as Claude Code writes it', (tools, has) => {
    expect(hasTool(kind(tools), 'github:search', nameOf)).toBe(has);
  });

  test('rules among the disallowed tools, and the mode, limit each call', () => {
    const limited: AgentKind = {
      ...kind(),
      disallowedTools: ['Write', 'Bash(rm:*)'],
      permissionMode: 'plan',
    };
    expect(limitsOf(limited)).toEqual({ deny: ['Bash(rm:*)'], mode: 'plan' });
    expect(limitsOf({ ...kind(), permissionMode: 'never-asks' })).toEqual({ deny: [], neverAsks: true });
    const some = kind(['Read', 'Bash(git *)', 'Edit', 'Edit(src/**)']);
    expect(limitsOf(some)).toEqual({ deny: [], only: [['Bash(git *)']] });
    expect([
      isLimited(some),
      ...['Read', 'Bash', 'Write'].map((tool) => hasTool(some, tool, () => undefined)),
    ]).toEqual([...[true, true, true, false]]);
    expect([limited, kind(), kind(['Read'])].map(isLimited)).toEqual([true, false, false]);
  });

  test('permission rules can name every tool', () => {
    expect(registry.list().flatMap(({ name }) => (ruleNames.includes(name) ? [] : [name]))).toEqual([]);
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
