import path from 'node:path';
import { type Extension, type ExtensionKind, extensionsOf, filesIn } from '../../config/extension-files.ts';
import type { ProjectContent } from '../../config/project-content.ts';
import { peek } from '../../lib/files/peek.ts';
import type { CustomCommand } from '../../plugins/custom-command.ts';
import type { Skill } from '../../plugins/skills.ts';

/** The user's files, and those of the project that the user trusted. */
export type ExtensionPlaces = { user: readonly ProjectContent[]; project: readonly ProjectContent[] };

/** Whether any command or skill exists; if not, their modules need not be loaded. */
export function hasMarkdown({ user, project }: ExtensionPlaces, kind: ExtensionKind): boolean {
  return [user, project].some((files) => extensionsOf(files, kind).length > 0);
}

/** The user's commands come before the project's: a project cannot override a user's name. */
export async function findCommands({
  user,
  project,
}: ExtensionPlaces): Promise<{ commands: CustomCommand[]; troubles: string[] }> {
  const [{ parseCommand }, { keyNotices }, { builtinCommands }] = await Promise.all([
    import('../../plugins/custom-command.ts'),
    import('../../plugins/key-notices.ts'),
    import('../../commands/index.ts'),
  ]);
  const taken = new Map(builtinCommands.map(({ name }) => [name, 'a built-in command']));
  const commands: CustomCommand[] = [];
  const troubles: string[] = [];
  const used: Extension[] = [];
  // Closer to the working directory comes first.
  const found = [...extensionsOf(user, 'command'), ...extensionsOf(project, 'command').toReversed()];
  for (const file of withoutCopies(found)) {
    const command = parseCommand(file, user.some((one) => one.file === file.file) ? 'user' : 'project');
    const other = command && taken.get(command.name);
    if (!command) troubles.push(`${file.file}: not a valid command name; use letters, digits and "-".`);
    else if (other) troubles.push(`Skipped ${file.file}: /${command.name} is ${other}.`);
    else {
      taken.set(command.name, file.file);
      commands.push(command);
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
  { user, project }: ExtensionPlaces,
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
  ];
  const { skills, troubles } = uniqueSkills(parsed.flatMap(({ skill }) => skill ?? []));
  const broken = parsed.filter(({ skill }) => skill === null);
  return {
    skills,
    troubles: [
      ...broken.map(({ file }) => `${file.file}: a skill needs a description in its front matter.`),
      ...keyNotices(
        'skills',
        parsed.map(({ file }) => file),
      ),
      ...troubles,
    ],
  };
}

/** Many people keep one file for several assistants, as a copy or a link: it counts once. */
function withoutCopies(files: readonly Extension[]): Extension[] {
  const isSame = (a: Extension, b: Extension) => a.path === b.path && a.text === b.text;
  return files.filter((file, i) => files.findIndex((other) => isSame(other, file)) === i);
}
