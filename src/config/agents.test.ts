import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
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
  ['---\nname: a b\n---\nx', '"a b" is not a valid subagent name: use letters, digits and dashes.'],
  ['---\nname: a\n---\n', 'this subagent has no prompt: add one below the --- lines.'],
  [
    '---\nname: a\ntools: Read, Bash(git *)\n---\nx',
    'Bash(git *) is a permission rule; list tools by name only.',
  ],
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

test("the user's files come first and override a project's file of the same name", async () => {
  const { home } = await workspace();
  await mkdir(path.join(home, 'agents'));
  await writeFile(path.join(home, 'agents', 'mine.md'), 'mine');
  await writeFile(path.join(home, 'agents', 'broken.md'), '---\nname: task\n---\nx');
  const extensions = ['mine', 'ours'].map((name) => ({
    name: `.ai-assistant/agents/${name}.md`,
    file: `/p/.ai-assistant/agents/${name}.md`,
    text: `theirs ${name}`,
  }));
  const { agents, notices } = readAgents(home, extensions);
  expect(agents.map(({ name, prompt }) => [name, prompt])).toEqual([
    ['mine', 'mine'],
    ['ours', 'theirs ours'],
  ]);
  expect(notices).toEqual([
    `${path.join(home, 'agents', 'broken.md')}: task is a built-in subagent; choose another name.`,
  ]);
});
