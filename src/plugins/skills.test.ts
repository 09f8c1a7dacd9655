import { expect, test } from 'vitest';
import { keyNotices } from './key-notices.ts';
import { parseSkill, type Skill, skillCommand, uniqueSkills } from './skills.ts';

const file = (name: string, text: string) => ({ file: `/s/${name}/SKILL.md`, text });
const skill = (name: string, source: Skill['source'], description = 'x') => {
  const parsed = parseSkill(file(name, `---\ndescription: ${description}\n---\n`), source);
  if (!parsed) throw new Error('This is no skill.');
  return { ...parsed, folder: `/${source}/${name}` };
};

test('a skill has a name, by default its folder’s, and a one-line description', () => {
  const { body, ...rest } = parseSkill(
    file('a', '---\nname: My-Skill\ndescription: >\n  One\n  two\n---\n\nBody\n'),
    'user',
  ) ?? {
    body: () => '',
  };
  expect(rest).toEqual({
    name: 'my-skill',
    description: 'One two',
    source: 'user',
    folder: '/s/a',
    users: 'all',
  });
  expect(body()).toBe('Body');
  expect(parseSkill(file('a', '---\ndescription: x\n---\n'), 'user')?.name).toBe('a');
  expect(parseSkill(file('a', 'no head'), 'user')).toBeNull();
  expect(parseSkill(file('a', '---\nname: A Title\ndescription: x\n---\n'), 'user')?.name).toBe('a');
  expect(parseSkill(file('a b', '---\ndescription: x\n---\n'), 'user')).toBeNull();
});

test('sorted by name; of two with one name the user’s own stays', () => {
  const found = [skill('b', 'plugin'), skill('a', 'project'), skill('c', 'project'), skill('a', 'user')];
  const { skills, troubles } = uniqueSkills(found);
  expect(skills.map(({ name, source }) => `${name} ${source}`)).toEqual(['a user', 'b plugin', 'c project']);
  expect(troubles).toEqual(['Skipped the skill a in /project/a: /user/a has one with the same name.']);
  expect(uniqueSkills([...found].reverse())).toEqual({ skills, troubles });
});

test('descriptions that do not fit into every request are cut, and if that is not enough, skills are left out', () => {
  const many = (count: number) =>
    uniqueSkills(
      Array.from({ length: count }, (_, i) =>
        skill(`s${String(i).padStart(3, '0')}`, 'user', i === 0 ? 'short' : 'y'.repeat(590)),
      ),
    );
  const cut = many(40);
  expect(cut.skills.length).toBe(40);
  expect(cut.skills[0]?.description).toBe('short');
  expect(cut.skills[1]?.description).toBe('y'.repeat(400));
  expect(cut.troubles).toEqual([
    'There are many skills: descriptions of more than 400 characters are cut, 16,000 are sent in all.',
  ]);
  const { skills, troubles } = many(250);
  expect(troubles[1]).toBe(`Skipped the skill s${skills.length}: there are too many.`);
});

const published: [about: string, head: string, name: string, description: string][] = [
  [
    'a plain one',
    'name: pdf\ndescription: Read PDF files.\nlicense: Proprietary. LICENSE.txt has complete terms',
    'pdf',
    'Read PDF files.',
  ],
  [
    'a colon in it',
    'name: docx\ndescription: Comprehensive: create, edit (tracked changes), #1',
    'docx',
    'Comprehensive: create, edit (tracked changes),',
  ],
  ['quotes', 'name: xlsx\ndescription: "When: \'x\' is a \\"sheet\\""', 'xlsx', `When: 'x' is a "sheet"`],
  ['folded', 'name: a\ndescription: >-\n  One\n  two.\nlicense: MIT', 'a', 'One two.'],
  ['a block', 'name: a\ndescription: |\n  One.\n\n  - two', 'a', 'One. - two'],
  [
    'a title',
    'name: Hook Development\ndescription: This skill should be used when the user asks to "create a hook".\nversion: 0.1.0',
    'folder',
    'This skill should be used when the user asks to "create a hook".',
  ],
  [
    'metadata',
    'name: a\ndescription: x\nmetadata:\n  author: me\n  version: "1.0"\ncompatibility: node 20',
    'a',
    'x',
  ],
  ['tools', 'name: a\ndescription: x\nallowed-tools: Bash(git:*) Read', 'a', 'x'],
];
test.each(published)('a skill as it is published loads: %s', (_, head, name, description) => {
  for (const text of [`---\n${head}\n---\n# Body\n`, `\uFEFF---\n${head}\n---\n`.replaceAll('\n', '\r\n')])
    expect(parseSkill(file('folder', text), 'user')).toMatchObject({ name, description });
});

const keys: [lines: string, fields: Partial<Skill>, notice: string | null][] = [
  ['disable-model-invocation: true', { users: 'user' }, null],
  ['disable-model-invocation: false', { users: 'all' }, null],
  ['user-invocable: false', { users: 'model' }, null],
  ['user-invocable: true', { users: 'all' }, null],
  ['disable-model-invocation: true\nuser-invocable: false', { users: 'nobody' }, null],
  ['model: opus', { model: 'opus' }, null],
  ['model: inherit', {}, null],
  ['context: fork', { agent: 'general' }, null],
  ['context: fork\nagent: Explore', { agent: 'Explore' }, null],
  ['agent: Explore', {}, null],
  ['context: new', {}, 'unknown context new; only fork is known.'],
  ['license: MIT\nmetadata:\n  a: b\nversion: 1', {}, null],
  ['when_to_use: often', { description: 'x often' }, null],
  ['allowed-tools: Bash(git:*)\ndisallowed-tools: WebFetch', {}, null],
  ['hooks:\n  Stop: []\npaths: src', {}, 'hooks, paths: not supported for skills and ignored.'],
  ['disable-model-invocaton: true', {}, 'disable-model-invocaton: not supported'],
];
test.each(keys)('the keys %j', (lines, fields, notice) => {
  const written = file('a', `---\ndescription: x\n${lines}\n---\nB`);
  const { body: _, ...rest } = parseSkill(written, 'user') ?? { body: null };
  expect(rest).toEqual({
    name: 'a',
    description: 'x',
    source: 'user',
    folder: '/s/a',
    users: 'all',
    ...fields,
  });
  const notices = keyNotices('skills', [written]);
  expect(notices.map((said) => said.startsWith('/s/a/SKILL.md: ') && said.includes(notice ?? ' '))).toEqual(
    notice === null ? [] : [true],
  );
});

test('files with the same problem share a notice', () => {
  const files = ['a', 'b', 'c', 'd', 'e'].map((name) => file(name, '---\npaths: src\n---\n'));
  const unknown = 'paths: not supported for commands and ignored.';
  expect(keyNotices('commands', [...files, file('f', '---\nhooks: {}\n---\n')])).toEqual([
    `/s/a/SKILL.md, /s/b/SKILL.md, /s/c/SKILL.md and 2 more: ${unknown}`,
    '/s/f/SKILL.md: hooks: not supported for commands and ignored.',
  ]);
});

test('the model gets a skill with its arguments filled in', () => {
  const body = (text: string) =>
    parseSkill(file('a', `---\ndescription: x\n---\n${text}`), 'user')?.body('one "two three"');
  expect(body('$0, $1')).toBe('one, two three');
  expect(body('$1; $ARGUMENTS')).toBe('one; one "two three"');
  expect(body('See $' + '{CLAUDE_SKILL_DIR}/a.md.')).toBe('See /s/a/a.md.\n\none "two three"');
});

test('a skill for the user is a command', () => {
  const command = (name: string, lines = 'model: opus') => {
    const parsed = parseSkill(file(name, `---\ndescription: x\n${lines}\n---\nB $1`), 'user');
    return parsed && skillCommand(parsed);
  };
  expect(command('a')).toEqual({
    name: 'a',
    description: 'x (skill)',
    body: 'Files it mentions are in /s/a.\n\nB $1',
    model: 'opus',
  });
  expect(command('a', 'disable-model-invocation: true')?.name).toBe('a');
  expect(command('a', 'user-invocable: false')).toBeNull();
  expect(command('1.a')?.name).toBe('1.a');
  expect(command('a', 'context: fork\nagent: Explore')?.agent).toBe('Explore');
});

test('what only the user can start takes no room in requests', () => {
  const many = Array.from(
    { length: 40 },
    (_, i): Skill => ({
      ...skill(`s${String(i).padStart(2, '0')}`, 'user', 'y'.repeat(590)),
      users: 'user',
    }),
  );
  expect(uniqueSkills(many)).toMatchObject({ skills: { length: 40 }, troubles: [] });
});
