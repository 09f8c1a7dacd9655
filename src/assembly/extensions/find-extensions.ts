import path from 'node:path';
import { type Extension, type ExtensionKind, extensionsOf, filesIn } from '../../config/extension-files.ts';
import type { ProjectContent } from '../../config/project-content.ts';
import { peek } from '../../lib/files/peek.ts';
import type { CommandFile, CustomCommand } from '../../plugins/custom-command.ts';
import type { Skill } from '../../plugins/skills.ts';
import type { RuleCheck } from '../safety/rule-check.ts';
import type { PluginBundle } from './plugin-bundles.ts';
import { checkedRules } from './prompt-rules.ts';

/** The user's files, and those of the project that the user trusted. */
export type ExtensionPlaces = {
  user: readonly ProjectContent[];
  project: readonly ProjectContent[];
  bundles: readonly PluginBundle[];
  check: RuleCheck;
};

/** Whether any command or skill exists; if not, their modules need not be loaded. */
export function hasMarkdown(
  { user, project, bundles }: Omit<ExtensionPlaces, 'check'>,
  kind: ExtensionKind,
): boolean {
  return bundles.length > 0 || [user, project].some((files) => extensionsOf(files, kind).length > 0);
}

/** The user's commands come before the project's: a project cannot override a user's name. */
export async function findCommands({
  user,
  project,
  bundles,
  check,
}: ExtensionPlaces): Promise<{ commands: CustomCommand[]; troubles: string[] }> {
  const [{ parseCommand }, { keyNotices }, { builtinCommands }] = await Promise.all([
    import('../../plugins/custom-command.ts'),
    import('../../plugins/key-notices.ts'),
    import('../../commands/index.ts'),
  ]);
  const taken = new Map(builtinCommands.map(({ name }) => [name, 'a built-in command']));
  const commands: CustomCommand[] = [];
  const troubles: string[] = [];
  const used: CommandFile[] = [];
  // Closer to the working directory comes first.
  const found = [...extensionsOf(user, 'command'), ...extensionsOf(project, 'command').toReversed()];
  const sourceOf = ({ file }: Extension): CustomCommand['source'] =>
    user.some((one) => one.file === file) ? 'user' : 'project';
  const all = [
    ...withoutCopies(found).map((file) => ({ file, source: sourceOf(file) })),
    ...bundles.flatMap(commandsIn),
  ];
  for (const { file, source } of all) {
    const command = parseCommand(file, source);
    const other = typeof command === 'string' ? undefined : taken.get(command.name);
    if (typeof command === 'string') troubles.push(`${file.file}: ${command}`);
    else if (other) troubles.push(`Skipped ${file.file}: /${command.name} is ${other}.`);
    else {
      taken.set(command.name, file.file);
      const { rules, troubles: said } = checkedRules(file, `command /${command.name}`, check);
      troubles.push(...said);
      if (rules) commands.push({ ...command, ...rules });
      used.push(file);
    }
  }
  return {
    commands: commands.sort((a, b) => (a.name < b.name ? -1 : 1)),
    troubles: [...troubles, ...keyNotices('commands', used)],
  };
}

/** `plugins` are the folders of the loaded plugins. */
export async function findSkills(
  { user, project, bundles, check }: ExtensionPlaces,
  plugins: readonly string[],
): Promise<{ skills: Skill[]; troubles: string[] }> {
  const [{ parseSkill, uniqueSkills }, { keyNotices }] = await Promise.all([
    import('../../plugins/skills.ts'),
    import('../../plugins/key-notices.ts'),
  ]);
  const skillsIn = (folder: string) =>
    filesIn(path.join(folder, 'skills'), 'skill').map((file) => ({ file, text: peek.text(file) }));
  const sources = { user: extensionsOf(user, 'skill'), project: extensionsOf(project, 'skill') };
  const parsed = [
    ...withoutCopies(sources.user).map((file) => ({ file, skill: parseSkill(file, 'user') })),
    ...withoutCopies([...sources.user, ...sources.project])
      .filter((file) => !sources.user.includes(file))
      .map((file) => ({ file, skill: parseSkill(file, 'project') })),
    ...plugins.flatMap(skillsIn).map((file) => ({ file, skill: parseSkill(file, 'plugin') })),
    ...bundles.flatMap(({ parts }) =>
      parts.skills.map((file) => {
        const skill = parseSkill(file, 'plugin');
        return { file, skill: skill && { ...skill, name: `${parts.name}:${skill.name}` } };
      }),
    ),
  ];
  const said: string[] = [];
  const withRules = parsed.flatMap(({ file, skill }) => {
    const { rules, troubles } = checkedRules(file, `skill ${skill?.name}`, check);
    said.push(...troubles);
    return skill && rules ? [{ ...skill, ...rules }] : [];
  });
  const { skills, troubles } = uniqueSkills(withRules);
  const broken = parsed.filter(({ skill }) => skill === null);
  return {
    skills,
    troubles: [
      ...broken.map(({ file }) => `${file.file}: a skill needs a description in its front matter.`),
      ...keyNotices(
        'skills',
        parsed.map(({ file }) => file),
      ),
      ...said,
      ...troubles,
    ],
  };
}

/** The commands of an installed plugin are named `plugin:name`. */
function commandsIn({ parts }: PluginBundle): { file: CommandFile; source: 'plugin' }[] {
  return parts.commands.map(({ path: name, file, text }) => ({
    file: { path: `${parts.name}/${name}`, file, text },
    source: 'plugin',
  }));
}

/** Many people keep one file for several assistants, as a copy or a link: it counts once. */
function withoutCopies(files: readonly Extension[]): Extension[] {
  const isSame = (a: Extension, b: Extension) => a.path === b.path && a.text === b.text;
  return files.filter((file, i) => files.findIndex((other) => isSame(other, file)) === i);
}
