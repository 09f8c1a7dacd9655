import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import type { ProjectContent } from '../project-content.ts';
import type { AssistantName, consents } from '../schema/other-assistants.ts';
import { unreadable } from '../unreadable.ts';
import { type Reading, readSettings } from './read.ts';
import { folderOf, projectNames, projectSource, userSources } from './sources.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Consent = (typeof consents)[number];

/** A file in the user's home folder, and what the user decided about its assistant. */
export type UserReading = Reading & { consent: Consent | undefined };

/** More than any settings need; the state of Claude Code grows with its use. */
const MAX_BYTES = 1_000_000;
const MAX_STATE_BYTES = 20_000_000;

/** The settings that other assistants keep in the user's home folder, except those the user does not want. */
export function userReadings(
  { env, folders }: { env: Env; folders: readonly string[] },
  consents: Readonly<Partial<Record<AssistantName, Consent>>>,
): UserReading[] {
  // Without a home folder in the environment there is nothing of the user to read.
  if (!env.HOME && !env.USERPROFILE) return [];
  const home = homeFolder(env);
  return userSources(env).flatMap((source) => {
    const consent = consents[source.assistant];
    if (consent === 'ignore' || consent === 'no-settings') return [];
    const content = readText(source.file);
    if (content === null) return [];
    const reading = readSettings(source, content.text, { base: home, home, folders });
    return [{ ...reading, notices: [...content.problems, ...reading.notices], consent }];
  });
}

/** The settings files of other assistants in a project: of each name the nearest to the working directory. */
export function otherProjectFiles(cwd: string, root: string): ProjectContent[] {
  return projectNames.flatMap((name) => {
    for (let folder = cwd; ; folder = path.dirname(folder)) {
      // What is there belongs to the user, not to a project.
      if (folder === homedir()) return [];
      const file = path.join(folder, name);
      const content = readText(file);
      if (content) {
        const [problem] = content.problems;
        return [{ name: nameOf(file, root), file, text: content.text, ...(problem && { problem }) }];
      }
      if (folder === root || path.dirname(folder) === folder) return [];
    }
  });
}

/** What the files of a project mean. */
export function projectReadings(content: readonly ProjectContent[], env: Env): Reading[] {
  return content.flatMap(({ file, text, problem }) => {
    const source = projectSource(file);
    if (!source) return [];
    const base = folderOf(file);
    const reading = readSettings(source, text, { base, home: homeFolder(env), folders: [] });
    return [problem === undefined ? reading : { ...reading, notices: [problem] }];
  });
}

/** Null if there is no such file. A file that cannot be read counts as empty. */
function readText(file: string): { text: string; problems: string[] } | null {
  const max = path.basename(file) === '.claude.json' ? MAX_STATE_BYTES : MAX_BYTES;
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return null;
    if (!stat.isFile() || stat.size > max)
      return { text: '', problems: [`${file} is not a settings file; it is ignored.`] };
    return { text: readRegularText(file).replace(/^\uFEFF/, ''), problems: [] };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const { message } = error instanceof UserError ? error : unreadable(file, error);
    return { text: '', problems: [`${message} It is ignored.`] };
  }
}

function nameOf(file: string, root: string): string {
  return path.relative(root, file).replaceAll(path.sep, '/');
}
