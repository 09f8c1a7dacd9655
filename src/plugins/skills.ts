import path from 'node:path';
import type { PromptRules } from '../contract/permission.ts';
import { parseFrontMatter, switchField, textField } from '../lib/text/front-matter.ts';
import { argumentsFor } from './arguments.ts';
import { agentOf, type PromptCommand } from './custom-command.ts';

/** Knowledge for one kind of work: the model sees the name and the description, and requests the rest. */
export type Skill = {
  name: string;
  description: string;
  source: 'user' | 'project' | 'plugin';
  /** The folder of its other files. */
  folder: string;
  /** Who may use it. */
  users: 'all' | 'model' | 'user' | 'nobody';
  /** Answers a prompt that the user starts with this skill. */
  model?: string;
  /** The subagent that does its work, if it does not become part of the conversation. */
  agent?: string;
  /** What it allows and forbids while it is in use. */
  rules?: PromptRules;
  /** Its text, with what it is used for filled in. */
  body(typed?: string): string;
};

export type SkillFile = { file: string; text: string };

/** As long as the open format for skills permits. */
const MAX_DESCRIPTION = 1024;
/** A shorter one does not tell the model when to use a skill. */
const MIN_DESCRIPTION = 80;
/** In characters, for all names and descriptions together: they are sent with every request. */
const MAX_ALL = 16_000;
const NAME = /^[a-z0-9][\w.-]{0,63}$/;
const RANK = { user: 0, project: 1, plugin: 2 };

export function parseSkill({ file, text: written }: SkillFile, source: Skill['source']): Skill | null {
  const parsed = parseFrontMatter(written);
  const folder = path.dirname(file);
  const name = [textField(parsed, 'name') ?? '', path.basename(folder)]
    .map((written) => written.toLowerCase())
    .find((written) => NAME.test(written));
  const words = [textField(parsed, 'description'), textField(parsed, 'when_to_use')]
    .filter(Boolean)
    .join(' ');
  const description = words.replaceAll(/\s+/g, ' ').slice(0, MAX_DESCRIPTION);
  if (!parsed.fields.has('description') || description === '' || name === undefined) return null;
  const byModel = switchField(parsed, 'disable-model-invocation') !== true;
  const byUser = switchField(parsed, 'user-invocable') !== false;
  const model = textField(parsed, 'model');
  const text = parsed.body.trim().replaceAll(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder);
  return {
    name,
    description,
    source,
    folder,
    users: byModel ? (byUser ? 'all' : 'model') : byUser ? 'user' : 'nobody',
    ...(model !== undefined && model.toLowerCase() !== 'inherit' && { model }),
    ...agentOf(parsed),
    body: (typed = '') => (typed === '' ? text : filled(text, typed)),
  };
}

function filled(text: string, typed: string): string {
  const { isUsed, inText } = argumentsFor(text, typed);
  return isUsed ? inText(text) : `${text}\n\n${typed}`;
}

function isForModel({ users }: Pick<Skill, 'users'>): boolean {
  return users === 'all' || users === 'model';
}

/** The skill as a command of the user; null if it is not for the user. */
export function skillCommand(skill: Skill): PromptCommand | null {
  const { name, description, users, model, agent, rules, folder, body } = skill;
  if (users === 'model' || users === 'nobody') return null;
  return {
    name,
    description: `${cutDescription(description)} (skill)`,
    body: `Files it mentions are in ${folder}.\n\n${body()}`,
    ...(model && { model }),
    ...(agent && { agent }),
    ...(rules && { rules }),
  };
}

const SHORT = 120;

function cutDescription(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
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
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const longest = longestDescription(sorted.filter(isForModel));
  if (longest < MAX_DESCRIPTION)
    troubles.push(
      `There are many skills: descriptions of more than ${longest} characters are cut, ${MAX_ALL.toLocaleString('en')} are sent in all.`,
    );
  const skills: Skill[] = [];
  let room = MAX_ALL;
  for (const skill of sorted) {
    const description = isForModel(skill) ? skill.description.slice(0, longest) : skill.description;
    if (isForModel(skill)) room -= skill.name.length + description.length;
    if (room >= 0 || !isForModel(skill)) skills.push({ ...skill, description });
    else troubles.push(`Skipped the skill ${skill.name}: there are too many.`);
  }
  return { skills, troubles };
}

/** How long descriptions may be so that all of them fit. */
function longestDescription(skills: readonly Skill[]): number {
  const lengthWith = (longest: number) =>
    skills.reduce(
      (all, { name, description }) => all + name.length + Math.min(description.length, longest),
      0,
    );
  let longest = MAX_DESCRIPTION;
  while (longest > MIN_DESCRIPTION && lengthWith(longest) > MAX_ALL) longest -= 16;
  return longest;
}
