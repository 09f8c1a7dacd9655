import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../contract/errors.ts';
import { parseAgent, readAgents } from './agents.ts';

test('[Y16] a subagent is defined by frontmatter and a prompt', () => {
  const text =
    '---\nname: tester\ndescription: Writes tests\nmodel: gpt-4o\ntools: Read, Bash\n---\n\nYou test.\n';
  expect(parseAgent(text, 'file')).toEqual({
    name: 'tester',
    description: 'Writes tests',
    model: 'gpt-4o',
    tools: ['Read', 'Bash'],
    prompt: 'You test.',
  });
});

test('a file without frontmatter is a prompt named after the file; inherit and * mean the default', () => {
  expect(parseAgent('You test.', 'tester')).toEqual({ name: 'tester', description: '', prompt: 'You test.' });
  expect(parseAgent('---\nmodel: inherit\ntools: "*"\n---\nx', 'a')).toEqual({
    name: 'a',
    description: '',
    prompt: 'x',
  });
});

test.each([
  ['---\nname: Explore\n---\nx', 'Explore is a built-in subagent; choose another name.'],
  ['---\nname: a\n---\n', 'this subagent has no prompt: add one below the --- lines.'],
])('an invalid definition is reported: %j', (text, said) => {
  expect(parseAgent(text, 'file')).toBe(said);
});

test('no input makes it throw or use a built-in name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, name) => {
      const agent = parseAgent(text, name);
      if (typeof agent !== 'string') expect(agent.name).toMatch(/^(?!general$|task$|explore$|review$)[a-z]/i);
    }),
  );
});

test("the user's files come first and override a project's file of the same name", () => {
  const file = (place: string, name: string, text: string) => ({
    name: `.ai-assistant/agents/${name}.md`,
    file: `/${place}/${name}.md`,
    text,
  });
  const { agents, notices } = readAgents([
    file('u', 'mine', 'mine'),
    file('u', 'broken', '---\nname: task\n---\nx'),
    file('p', 'mine', 'theirs mine'),
    file('p', 'ours', 'theirs ours'),
  ]);
  expect(agents.map(({ name, prompt }) => [name, prompt])).toEqual([
    ['mine', 'mine'],
    ['ours', 'theirs ours'],
  ]);
  expect(notices).toEqual(['/u/broken.md: task is a built-in subagent; choose another name.']);
});

const modes: [written: string, mode: string | undefined, notice: string | null][] = [
  ['default', 'default', null],
  ['plan', 'plan', null],
  ['read-only', 'read-only', null],
  ['manual', 'default', null],
  ['dontAsk', 'never-asks', null],
  ['acceptEdits', 'accept-edits', 'only restricts'],
  ['accept-edits', 'accept-edits', 'only restricts'],
  ['bypassPermissions', 'auto', 'only restricts'],
  ['auto', 'auto', 'only restricts'],
  ['yolo', undefined, 'unknown permissionMode yolo'],
  ['toString', undefined, 'unknown permissionMode toString'],
];
test.each(modes)('permissionMode: %s', (written, permissionMode, notice) => {
  const text = `---\npermissionMode: ${written}\n---\nx`;
  expect(parseAgent(text, 'a')).toEqual({
    name: 'a',
    description: '',
    prompt: 'x',
    ...(permissionMode !== undefined && { permissionMode }),
  });
  const { notices } = readAgents([{ name: '.claude/agents/a.md', file: '/p/.claude/agents/a.md', text }]);
  if (notice === null) expect(notices).toEqual([]);
  else expect(notices).toEqual([expect.stringMatching(new RegExp(`^/p/.claude/agents/a.md: .*${notice}`))]);
});

test('a name with spaces is a title: the name of the file is used', () => {
  expect(parseAgent('---\nname: Code Reviewer\n---\nx', 'code-reviewer')).toMatchObject({
    name: 'code-reviewer',
  });
  expect(parseAgent('---\nname: a b\n---\nx', 'c d')).toBe(
    '"a b" is not a valid subagent name: use letters, digits and dashes.',
  );
});

const keys: [lines: string, fields: object, notice: string | null][] = [
  ['tools: Read, Bash(git *)', { tools: ['Read', 'Bash(git *)'] }, null],
  ['disallowedTools: Write, Edit', { disallowedTools: ['Write', 'Edit'] }, null],
  ['disallowedTools:\n  - Bash(rm:*)\n  - Write', { disallowedTools: ['Bash(rm:*)', 'Write'] }, null],
  ['disallowedTools: [mcp__github]', { disallowedTools: ['mcp__github'] }, null],
  ['maxTurns: 5', { maxTurns: 5 }, null],
  ['maxTurns: many', {}, 'maxTurns must be a whole number'],
  ['maxTurns: 0', {}, 'maxTurns must be a whole number'],
  ['color: blue', {}, null],
  ['memory: user\nskills: a', {}, 'memory, skills: not supported for subagents and ignored.'],
  ['isolation: worktree', { isolation: 'worktree' }, null],
  ['isolation: Worktree', { isolation: 'worktree' }, null],
  ['isolation: vm', {}, 'unknown isolation vm; only worktree is known. It is ignored.'],
  ['hooks:\n  PreToolUse:\n    - matcher: Bash', {}, 'hooks: not supported'],
  ['effort: high', { effort: 'high' }, null],
  ['effort: XHigh', { effort: 'xhigh' }, null],
  ['effort: lots', {}, 'unknown effort lots; it is one of none, minimal, low'],
  ['skills: [a]\nmcpServers: [b]\nbackground: true', {}, 'skills, mcpservers, background:'],
  ['disalowedTools: Write', {}, 'disalowedtools: not supported'],
];
test.each(keys)('the keys %j', (lines, fields, notice) => {
  const text = `---\n${lines}\n---\nx`;
  expect(parseAgent(text, 'a')).toEqual({ name: 'a', description: '', prompt: 'x', ...fields });
  const { notices } = readAgents([{ name: '.claude/agents/a.md', file: '/p/.claude/agents/a.md', text }]);
  expect(notices.map((said) => said.includes(notice ?? ' '))).toEqual(notice === null ? [] : [true]);
});

test('a rule in disallowedTools that does nothing is reported; a subagent with one that is none or misspelt is not used', () => {
  const file = (name: string, tools: string, key = 'disallowedTools') => ({
    name: `.claude/agents/${name}.md`,
    file: `/p/${name}.md`,
    text: `---\n${key}: ${tools}\n---\nx`,
  });
  const check = (rule: string, place: string) => {
    if (rule === '((') throw new UserError('"((" is not a permission rule.', 'Fix it.');
    return ['Bsh', 'Foo'].includes(rule)
      ? { text: `${place}: names no tool`, isMisspelt: rule === 'Bsh' }
      : null;
  };
  const { agents, notices } = readAgents(
    [file('a', 'Foo, Write'), file('b', '"(("'), file('c', '"(("', 'tools'), file('d', 'Bsh, Write')],
    check,
  );
  expect(agents.map(({ name }) => name)).toEqual(['a']);
  expect(notices).toEqual([
    '/p/a.md: names no tool',
    '/p/b.md: disallowedTools: "((" is not a permission rule. The subagent is not used.',
    '/p/c.md: tools: "((" is not a permission rule. The subagent is not used.',
    '/p/d.md: disallowedTools: names no tool The subagent is not used.',
  ]);
});
