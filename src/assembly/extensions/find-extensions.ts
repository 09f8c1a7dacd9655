import path from 'node:path';
import type { ProjectContent } from '../../config/project-content.ts';
import { extensionsOf } from '../../config/project-extensions.ts';
import { peek } from '../../lib/files/peek.ts';
import type { CustomCommand } from '../../plugins/custom-command.ts';
import type { Skill } from '../../plugins/skills.ts';

/** `files` are the project's files that the user trusted. */
export type ExtensionPlaces = { dataRoot: string; files: readonly ProjectContent[] };

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 3;

/** Whether any command or skill exists; if not, their modules need not be loaded. */
export function hasMarkdown({ dataRoot, files }: ExtensionPlaces, kind: 'commands' | 'skills'): boolean {
  return files.length > 0 || peek.folder(path.join(dataRoot, kind)) !== null;
}

/** The user's commands come before the project's: a project cannot override a user's name. */
export async function findCommands({
  dataRoot,
  files,
}: ExtensionPlaces): Promise<{ commands: CustomCommand[]; troubles: string[] }> {
  const [{ parseCommand }, { builtinCommands }] = await Promise.all([
    import('../../plugins/custom-command.ts'),
    import('../../commands/index.ts'),
  ]);
  const taken = new Map(builtinCommands.map(({ name }) => [name, 'a built-in command']));
  const commands: CustomCommand[] = [];
  const troubles: string[] = [];
  const found = [
    ...markdownUnder(path.join(dataRoot, 'commands')).map((file) => ({ file, source: 'user' as const })),
    // Closer to the working directory comes first.
    ...extensionsOf(files, 'command')
      .toReversed()
      .map((file) => ({ file, source: 'project' as const })),
  ];
  for (const { file, source } of found) {
    const command = parseCommand(file, source);
    const other = command && taken.get(command.name);
    if (!command) troubles.push(`${file.file}: not a valid command name; use letters, digits and "-".`);
    else if (other) troubles.push(`Skipped ${file.file}: /${command.name} is ${other}.`);
    else {
      taken.set(command.name, file.file);
      commands.push(command);
    }
  }
  return { commands: commands.sort((a, b) => (a.name < b.name ? -1 : 1)), troubles };
}

/** `plugins` are the folders of the loaded plugins. */
export async function findSkills(
  { dataRoot, files }: ExtensionPlaces,
  plugins: readonly string[],
): Promise<{ skills: Skill[]; troubles: string[] }> {
  const { parseSkill, skillNotices, uniqueSkills } = await import('../../plugins/skills.ts');
  const found = [
    ...skillsIn(dataRoot).map((file) => ({ file, source: 'user' as const })),
    ...extensionsOf(files, 'skill').map((file) => ({ file, source: 'project' as const })),
    ...plugins.flatMap(skillsIn).map((file) => ({ file, source: 'plugin' as const })),
  ];
  const parsed = found.map(({ file, source }) => ({ file: file.file, skill: parseSkill(file, source) }));
  const { skills, troubles } = uniqueSkills(parsed.flatMap(({ skill }) => skill ?? []));
  const broken = parsed.filter(({ skill }) => skill === null);
  return {
    skills,
    troubles: [
      ...broken.map(({ file }) => `${file}: a skill needs a name and a description in its front matter.`),
      ...found.flatMap(({ file }) => skillNotices(file)),
      ...troubles,
    ],
  };
}

function skillsIn(folder: string): { file: string; text: string }[] {
  const place = path.join(folder, 'skills');
  const names = peek.folder(place)?.folders ?? [];
  return names.sort().flatMap((name) => readSmall(path.join(place, name, 'SKILL.md')));
}

function markdownUnder(
  place: string,
  prefix = '',
  depth = 0,
): { path: string; file: string; text: string }[] {
  const found = depth > MAX_DEPTH ? null : peek.folder(path.join(place, prefix));
  const own = (found?.files ?? []).filter((name) => name.endsWith('.md')).sort();
  return [
    ...own.flatMap((name) =>
      readSmall(path.join(place, prefix, name)).map((read) => ({ ...read, path: prefix + name })),
    ),
    ...(found?.folders ?? []).sort().flatMap((name) => markdownUnder(place, `${prefix}${name}/`, depth + 1)),
  ];
}

function readSmall(file: string): { file: string; text: string }[] {
  const size = peek.file(file)?.size;
  return size === undefined || size > MAX_BYTES ? [] : [{ file, text: peek.text(file) }];
}
