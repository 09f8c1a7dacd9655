import path from 'node:path';
import { parseFrontMatter, textField } from '../lib/text/front-matter.ts';

/** Knowledge for one kind of work: the model sees the name and the description, and requests the rest. */
export type Skill = {
  name: string;
  description: string;
  source: 'user' | 'project' | 'plugin';
  /** The folder of its other files. */
  folder: string;
  /** What the model gets when it uses the skill. */
  body(): string;
};

export type SkillFile = { file: string; text: string };

const MAX_DESCRIPTION = 600;
/** In characters, for all names and descriptions together: they are sent with every request. */
const MAX_ALL = 16_000;
const RANK = { user: 0, project: 1, plugin: 2 };

export function parseSkill({ file, text }: SkillFile, source: Skill['source']): Skill | null {
  const parsed = parseFrontMatter(text);
  const folder = path.dirname(file);
  const name = (textField(parsed, 'name') ?? path.basename(folder)).toLowerCase();
  const description = textField(parsed, 'description')?.replaceAll(/\s+/g, ' ').slice(0, MAX_DESCRIPTION);
  if (description === undefined || !/^[a-z0-9][\w.-]{0,63}$/.test(name)) return null;
  return { name, description, source, folder, body: () => parsed.body.trim() };
}

/** One per name, the user's own before the project's; in an order that does not depend on the disk. */
export function uniqueSkills(found: readonly Skill[]): { skills: Skill[]; troubles: string[] } {
  const byName = new Map<string, Skill>();
  const troubles: string[] = [];
  for (const skill of [...found].sort((a, b) => RANK[a.source] - RANK[b.source])) {
    const other = byName.get(skill.name);
    if (other)
      troubles.push(
        `Skipped the skill ${skill.name} in ${skill.folder}: ${other.folder} has one with the same name.`,
      );
    else byName.set(skill.name, skill);
  }
  const skills: Skill[] = [];
  let room = MAX_ALL;
  for (const skill of [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    room -= skill.name.length + skill.description.length;
    if (room >= 0) skills.push(skill);
    else troubles.push(`Skipped the skill ${skill.name}: there are too many.`);
  }
  return { skills, troubles };
}
