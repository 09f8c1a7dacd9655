import { expect, test } from 'vitest';
import { parseSkill, type Skill, uniqueSkills } from './skills.ts';

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
  expect(rest).toEqual({ name: 'my-skill', description: 'One two', source: 'user', folder: '/s/a' });
  expect(body()).toBe('Body');
  expect(parseSkill(file('a', '---\ndescription: x\n---\n'), 'user')?.name).toBe('a');
  expect(parseSkill(file('a', 'no head'), 'user')).toBeNull();
  expect(parseSkill(file('a b', '---\ndescription: x\n---\n'), 'user')).toBeNull();
});

test('sorted by name; of two with one name the user’s own stays', () => {
  const found = [skill('b', 'plugin'), skill('a', 'project'), skill('c', 'project'), skill('a', 'user')];
  const { skills, troubles } = uniqueSkills(found);
  expect(skills.map(({ name, source }) => `${name} ${source}`)).toEqual(['a user', 'b plugin', 'c project']);
  expect(troubles).toEqual(['Skipped the skill a in /project/a: /user/a has one with the same name.']);
  expect(uniqueSkills([...found].reverse())).toEqual({ skills, troubles });
});

test('more than fit into every request are left out, with a notice', () => {
  const many = Array.from({ length: 40 }, (_, i) =>
    skill(`s${String(i).padStart(2, '0')}`, 'user', 'y'.repeat(590)),
  );
  const { skills, troubles } = uniqueSkills(many);
  expect(skills.length).toBe(26);
  expect(troubles[0]).toBe('Skipped the skill s26: there are too many.');
});
