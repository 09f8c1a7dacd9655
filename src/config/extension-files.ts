import { realpathSync } from 'node:fs';
import path from 'node:path';
import { peek } from '../lib/files/peek.ts';
import { isInside } from '../lib/paths/inside.ts';
import { assistantFolders, type FolderOwner } from './assistant-folders.ts';
import type { ProjectContent } from './project-content.ts';
import type { Config } from './schema/schema.ts';

export type ExtensionKind = 'command' | 'skill' | 'agent' | 'output-style';

/** Which files of a folder are read. */
const FILES: Record<ExtensionKind, RegExp> = {
  command: /^([^/]+\/){0,3}[^/]+\.md$/,
  skill: /^[^/]+\/SKILL\.md$/,
  agent: /^([^/]+\/){0,3}[^/]+\.md$/,
  'output-style': /^[^/]+\.md$/,
};

/** `home` is the folder in a project. */
type Place = { of?: FolderOwner; home: string; folder: string; kind: ExtensionKind; files?: RegExp };

const PLACES: readonly Place[] = [
  { home: '.ai-assistant', folder: 'commands', kind: 'command' },
  { home: '.ai-assistant', folder: 'skills', kind: 'skill' },
  { home: '.ai-assistant', folder: 'agents', kind: 'agent' },
  { home: '.ai-assistant', folder: 'output-styles', kind: 'output-style' },
  { of: 'claude', home: '.claude', folder: 'commands', kind: 'command' },
  { of: 'claude', home: '.claude', folder: 'skills', kind: 'skill' },
  { of: 'claude', home: '.claude', folder: 'agents', kind: 'agent' },
  { of: 'claude', home: '.claude', folder: 'output-styles', kind: 'output-style' },
  { of: 'several', home: '.agents', folder: 'skills', kind: 'skill' },
  { of: 'codex', home: '.codex', folder: 'prompts', kind: 'command' },
  { of: 'codex', home: '.codex', folder: 'skills', kind: 'skill' },
  {
    ...{ of: 'gemini', home: '.gemini', folder: 'commands', kind: 'command' },
    files: /^([^/]+\/){0,3}[^/]+\.toml$/,
  },
  { of: 'cursor', home: '.cursor', folder: 'commands', kind: 'command' },
  { of: 'opencode', home: '.opencode', folder: 'command', kind: 'command' },
  { of: 'opencode', home: '.opencode', folder: 'commands', kind: 'command' },
  { of: 'opencode', home: '.opencode', folder: 'skill', kind: 'skill' },
  { of: 'opencode', home: '.opencode', folder: 'skills', kind: 'skill' },
];

const MAX_FILES = 500;
const MAX_BYTES = 256 * 1024;

/** A file of one kind; `path` is relative to its folder. */
export type Extension = ProjectContent & { path: string; of?: FolderOwner };

/** Where a project's extensions may be: the folders from its root down to the working directory. */
export type ExtensionPlaces = { root: string; cwd: string; dataRoot?: string | undefined };

/**
 * The Markdown files of a project that define commands, skills and subagents. Links that lead out of it are
 * ignored.
 */
export function extensionFiles({ root, cwd, dataRoot }: ExtensionPlaces): ProjectContent[] {
  const found: ProjectContent[] = [];
  for (const folder of foldersDown(root, cwd)) {
    for (const place of PLACES) {
      const base = path.join(folder, place.home);
      // The user's own folder is not part of a project.
      if (base === dataRoot) continue;
      const files = placeFiles(path.join(base, place.folder), place).filter((file) => isWithin(root, file));
      found.push(...files.flatMap((file) => read(file, nameOf(file, root))));
    }
  }
  return found.slice(0, MAX_FILES);
}

export type UserPlaces = Pick<Config, 'otherAssistants'> & {
  dataRoot: string;
  env: Readonly<Record<string, string | undefined>>;
};

/** The user's own files, and those for other assistants that the user does not ignore. */
export function userExtensionFiles({ dataRoot, env, otherAssistants }: UserPlaces): ProjectContent[] {
  const consents: Partial<Record<FolderOwner, string>> = otherAssistants;
  const folders = assistantFolders(env);
  const found = PLACES.filter(({ of }) => !of || consents[of] !== 'ignore').flatMap((place) => {
    const base = place.of === undefined ? dataRoot : folders[place.of];
    const folder = path.join(base, place.folder);
    const named = (file: string) => `${place.home}/${place.folder}/${nameOf(file, folder)}`;
    return placeFiles(folder, place).flatMap((file) => read(file, named(file)));
  });
  return found.slice(0, MAX_FILES);
}

/** The files of one kind; of a project, the outermost folder comes first. */
export function extensionsOf(content: readonly ProjectContent[], kind: ExtensionKind): Extension[] {
  return content.flatMap((one) => {
    for (const place of PLACES) {
      if (place.kind !== kind) continue;
      const marker = `${place.home}/${place.folder}/`;
      const at = `/${one.name}`.lastIndexOf(`/${marker}`);
      const inside = at === -1 ? '' : one.name.slice(at + marker.length);
      if ((place.files ?? FILES[kind]).test(inside))
        return [{ ...one, path: inside, ...(place.of && { of: place.of }) }];
    }
    return [];
  });
}

export function isExtension(content: ProjectContent): boolean {
  return (Object.keys(FILES) as ExtensionKind[]).some((kind) => extensionsOf([content], kind).length > 0);
}

/** The files of this kind in a folder, sorted. A skill may be a link to a folder. */
export function filesIn(folder: string, kind: ExtensionKind): string[] {
  return placeFiles(folder, { kind });
}

function placeFiles(folder: string, { kind, files = FILES[kind] }: Pick<Place, 'kind' | 'files'>): string[] {
  const names = kind === 'skill' ? skillsIn(folder) : [...filesUnder(folder, '')];
  return names
    .filter((name) => files.test(name))
    .sort()
    .map((name) => path.join(folder, name));
}

function skillsIn(folder: string): string[] {
  const found = peek.folder(folder);
  return [...(found?.folders ?? []), ...(found?.files ?? [])]
    .map((name) => `${name}/SKILL.md`)
    .filter((name) => peek.file(path.join(folder, name)) !== null);
}

function* filesUnder(folder: string, prefix: string, depth = 0): Generator<string> {
  const found = depth > 4 ? null : peek.folder(folder);
  for (const name of found?.files ?? []) yield prefix + name;
  for (const name of found?.folders ?? [])
    yield* filesUnder(path.join(folder, name), `${prefix}${name}/`, depth + 1);
}

function isWithin(root: string, file: string): boolean {
  return peek.file(file) !== null && isInside(realpathSync(root), realpathSync(file));
}

function read(file: string, name: string): ProjectContent[] {
  const size = peek.file(file)?.size;
  return size === undefined || size > MAX_BYTES ? [] : [{ name, file, text: peek.text(file) }];
}

function nameOf(file: string, root: string): string {
  return path.relative(root, file).replaceAll(path.sep, '/');
}

function foldersDown(outer: string, inner: string): string[] {
  const names = isInside(outer, inner) ? path.relative(outer, inner).split(path.sep).filter(Boolean) : [];
  return [outer, ...names.map((_, i) => path.join(outer, ...names.slice(0, i + 1)))];
}
