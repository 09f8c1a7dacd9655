import path from 'node:path';
import { otherKeys, parseFrontMatter, switchField, textField } from '../lib/text/front-matter.ts';

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
  /** What the model gets when it uses the skill. */
  body(): string;
};

/** Keys with a meaning here, and those that only describe a skill. */
const KEYS = [
  ...['name', 'description', 'when_to_use', 'disable-model-invocation', 'user-invocable', 'model'],
  ...['context', 'agent', 'argument-hint', 'license', 'metadata', 'compatibility', 'version', 'author'],
];

export type SkillFile = { file: string; text: string };

const MAX_DESCRIPTION = 600;
/** In characters, for all names and descriptions together: they are sent with every request. */
const MAX_ALL = 16_000;
const RANK = { user: 0, project: 1, plugin: 2 };

export function parseSkill({ file, text }: SkillFile, source: Skill['source']): Skill | null {
  const parsed = parseFrontMatter(text);
  const folder = path.dirname(file);
  const name = (textField(parsed, 'name') ?? path.basename(folder)).toLowerCase();
  const words = [textField(parsed, 'description'), textField(parsed, 'when_to_use')]
    .filter(Boolean)
    .join(' ');
  const description = words.replaceAll(/\s+/g, ' ').slice(0, MAX_DESCRIPTION);
  if (!parsed.fields.has('description') || description === '' || !/^[a-z0-9][\w.-]{0,63}$/.test(name))
    return null;
  const byModel = switchField(parsed, 'disable-model-invocation') !== true;
  const byUser = switchField(parsed, 'user-invocable') !== false;
  const model = textField(parsed, 'model');
  const isFork = textField(parsed, 'context')?.toLowerCase() === 'fork';
  return {
    name,
    description,
    source,
    folder,
    users: byModel ? (byUser ? 'all' : 'model') : byUser ? 'user' : 'nobody',
    ...(model !== undefined && model.toLowerCase() !== 'inherit' && { model }),
    ...(isFork && { agent: textField(parsed, 'agent') ?? 'general' }),
    body: () => parsed.body.trim(),
  };
}

function isForModel({ users }: Pick<Skill, 'users'>): boolean {
  return users === 'all' || users === 'model';
}

/** The skill as a command of the user; null if it is not for the user, or its name cannot be a command. */
export function skillCommand({ name, description, users, model, folder, body }: Skill): SkillCommand | null {
  if (users === 'model' || users === 'nobody' || !/^[a-z][\w-]*$/.test(name)) return null;
  const text = `Files it mentions are in ${folder}.\n\n${body()}`;
  return { name, description: `${cutDescription(description)} (skill)`, body: text, ...(model && { model }) };
}

export type SkillCommand = { name: string; description: string; body: string; model?: string };

const SHORT = 120;

function cutDescription(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

/** What of a skill has no effect here. */
export function skillNotices({ file, text }: SkillFile): string[] {
  const parsed = parseFrontMatter(text);
  const unknown = otherKeys(parsed, [...KEYS, 'allowed-tools']);
  const context = textField(parsed, 'context');
  return [
    ...(unknown.length > 0 ? [`${file}: ${unknown.join(', ')}: not supported for skills and ignored.`] : []),
    ...(parsed.fields.has('allowed-tools')
      ? [`${file}: allowed-tools grants nothing. Add the rules to permissions.allow if you want them.`]
      : []),
    ...(context !== undefined && context.toLowerCase() !== 'fork'
      ? [`${file}: unknown context ${context}; only fork is known.`]
      : []),
  ];
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
    if (isForModel(skill)) room -= skill.name.length + skill.description.length;
    if (room >= 0 || !isForModel(skill)) skills.push(skill);
    else troubles.push(`Skipped the skill ${skill.name}: there are too many.`);
  }
  return { skills, troubles };
}
