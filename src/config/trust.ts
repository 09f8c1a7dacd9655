import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { UserError } from '../contract/errors.ts';
import { updateFile } from '../lib/files/file-update.ts';
import { readRegularText } from '../lib/files/regular-file.ts';
import { sha256 } from '../lib/sha256.ts';
import { parseJson } from '../lib/text/json.ts';
import { readSmallFile } from './config-file.ts';
import { extensionFiles } from './extension-files.ts';
import { MCP_FILE } from './mcp-file.ts';
import { otherProjectFiles } from './other-assistants/find.ts';
import type { ProjectContent } from './project-content.ts';
import { pluginFiles } from './project-extensions.ts';
import { checkOnce } from './schema/check-settings.ts';
import { unreadable } from './unreadable.ts';

/** A file that differs from what the user approved; `before` is null if it is new. */
export type ContentChange = { name: string; before: string | null; after: string };

/**
 * The user's decision about a project. `changed` means that it no longer applies: the files differ from those
 * it was given for.
 */
export type Trust = { type: 'trusted' } | { type: 'unknown' } | { type: 'changed'; changes: ContentChange[] };

export type TrustedFolder = { folder: string; trustedAt: string; files: string[] };

const storeSchema = () =>
  z.object({
    folders: z.record(
      z.string(),
      z.object({
        trustedAt: z.string(),
        files: z.record(z.string(), z.object({ sha256: z.string(), text: z.string() })),
      }),
    ),
  });
type Folders = z.output<ReturnType<typeof storeSchema>>['folders'];

const PROJECT_FILE = '.ai-assistant.json';

/**
 * The root of the git repository that contains the folder. Outside a repository it is the folder itself: a
 * shared parent such as /tmp is not a project.
 */
export function projectRoot(cwd: string): string {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return folder;
    if (path.dirname(folder) === folder) return path.resolve(cwd);
  }
}

/** The nearest `.ai-assistant.json` from the working directory up to the project's root. */
export function findProjectFile(cwd: string): string | null {
  return findInProject(cwd, PROJECT_FILE);
}

/** The nearest file of this name from the working directory up to the project's root. */
function findInProject(cwd: string, name: string): string | null {
  const root = projectRoot(cwd);
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, name);
    if (isThere(file)) return file;
    if (folder === root) return null;
  }
}

/** True also for a symlink loop: reading it reports the error. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}

/**
 * Everything that trust covers. Any new way for a project to loosen settings or run code must be added here.
 * A data root inside the project belongs to the user and is excluded.
 */
export function projectContent(cwd: string, dataRoot?: string): ProjectContent[] {
  const root = projectRoot(cwd);
  const settings = [findProjectFile(cwd), findInProject(cwd, MCP_FILE)].flatMap((file) => {
    const text = file === null ? null : readSmallFile(file);
    if (file === null || text === null) return [];
    return [{ name: path.relative(root, file).replaceAll(path.sep, '/'), file, text }];
  });
  const named = settings.find(({ file }) => path.basename(file) === PROJECT_FILE);
  return [
    ...settings,
    ...otherProjectFiles(path.resolve(cwd), root),
    ...extensionFiles({ root, cwd: path.resolve(cwd), dataRoot }),
    ...pluginFiles(named, root),
  ];
}

/** Whether the current content is what the user approved. */
export function trustOf(home: string, cwd: string, content: readonly ProjectContent[]): Trust {
  const approved = readStore(home)[realRoot(cwd)];
  if (approved === undefined) return { type: 'unknown' };
  const changes = content.flatMap(({ name, text }): ContentChange[] => {
    const before = Object.hasOwn(approved.files, name) ? approved.files[name] : undefined;
    return before?.sha256 === sha256(text) ? [] : [{ name, before: before?.text ?? null, after: text }];
  });
  return changes.length === 0 ? { type: 'trusted' } : { type: 'changed', changes };
}

/** Files approved before, such as those of another subfolder, stay approved. Returns the project's root. */
export async function trustFolder(
  home: string,
  cwd: string,
  content: readonly ProjectContent[],
): Promise<string> {
  const root = realRoot(cwd);
  await updateFile(storeFile(home), async (write) => {
    const folders = readStore(home);
    const files = { ...folders[root]?.files };
    for (const { name, text } of content) files[name] = { sha256: sha256(text), text };
    await write(textOf({ ...folders, [root]: { trustedAt: new Date().toISOString(), files } }));
  });
  return root;
}

/** The folder whose trust was revoked, or null if there was none. */
export async function revokeTrust(home: string, cwd: string): Promise<string | null> {
  const root = realRoot(cwd);
  return updateFile(storeFile(home), async (write) => {
    const { [root]: revoked, ...others } = readStore(home);
    if (revoked === undefined) return null;
    await write(textOf(others));
    return root;
  });
}

export function trustedFolders(home: string): TrustedFolder[] {
  return Object.entries(readStore(home))
    .map(([folder, { trustedAt, files }]) => ({ folder, trustedAt, files: Object.keys(files).sort() }))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Resolved, so that no symlink can borrow another folder's trust. */
function realRoot(cwd: string): string {
  return projectRoot(realpathSync(cwd));
}

/**
 * Throws if the file exists but cannot be read: the approvals are unknown then, and must not be overwritten.
 */
function readStore(home: string): Folders {
  const file = storeFile(home);
  let text: string;
  try {
    text = readRegularText(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {};
    throw unreadable(file, error);
  }
  const parsed = storeSchema().safeParse(parseJson(text), checkOnce);
  if (!parsed.success)
    throw new UserError(
      `${file} is damaged.`,
      'Move it away, then trust your folders again with `aca trust`.',
    );
  return parsed.data.folders;
}

function textOf(folders: Folders): string {
  return `${JSON.stringify({ folders }, null, 2)}\n`;
}

function storeFile(home: string): string {
  return path.join(home, 'trust.json');
}
