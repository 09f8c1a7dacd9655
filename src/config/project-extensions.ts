import { realpathSync } from 'node:fs';
import path from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { peek } from '../lib/files/peek.ts';
import { isPackageName, moduleEntry, packageFolder } from '../lib/module-entry.ts';
import { isInside } from '../lib/paths/inside.ts';
import { sha256 } from '../lib/sha256.ts';
import { isObject } from '../lib/text/json.ts';
import type { ProjectContent } from './project-content.ts';

export type ExtensionKind = 'command' | 'skill' | 'agent';

/** Project folders with extensions, and which of their files are read. */
const PLACES: Record<ExtensionKind, { folder: string; file: RegExp }> = {
  command: { folder: 'commands', file: /^([^/]+\/){0,3}[^/]+\.md$/ },
  skill: { folder: 'skills', file: /^[^/]+\/SKILL\.md$/ },
  agent: { folder: 'agents', file: /^[^/]+\.md$/ },
};
const KINDS = Object.keys(PLACES) as ExtensionKind[];
/** Ours, and that of another assistant with compatible files. */
const HOMES = ['.ai-assistant', '.claude'];

const MAX_FILES = 500;
const MAX_BYTES = 256 * 1024;
/** Longer plugin files are represented by their hash in the approval prompt. */
const MAX_SHOWN = 32 * 1024;

/** Where a project's extensions may be: the folders from its root down to the working directory. */
export type ExtensionPlaces = { root: string; cwd: string; dataRoot?: string | undefined };

/**
 * The Markdown files that define commands, skills and subagents. Links that lead out of the project are
 * ignored.
 */
export function extensionFiles({ root, cwd, dataRoot }: ExtensionPlaces): ProjectContent[] {
  const found: ProjectContent[] = [];
  for (const folder of foldersDown(root, cwd)) {
    for (const home of HOMES) {
      const base = path.join(folder, home);
      // The user's own folder is not part of a project.
      if (base === dataRoot) continue;
      for (const kind of KINDS) {
        const place = path.join(base, PLACES[kind].folder);
        const names = [...filesUnder(place, '')].filter((name) => PLACES[kind].file.test(name));
        found.push(...names.sort().flatMap((name) => read(path.join(place, name), root)));
      }
    }
  }
  return found.slice(0, MAX_FILES);
}

/** A project's files of one kind, named relative to their folder; outermost folder first. */
export function extensionsOf(
  content: readonly ProjectContent[],
  kind: ExtensionKind,
): (ProjectContent & { path: string })[] {
  const place = new RegExp(`(?:^|/)\\.(?:ai-assistant|claude)/${PLACES[kind].folder}/(.+)$`);
  return content.flatMap((one) => {
    const inside = place.exec(one.name)?.[1];
    return inside !== undefined && PLACES[kind].file.test(inside) ? [{ ...one, path: inside }] : [];
  });
}

export function isExtension(content: ProjectContent): boolean {
  return KINDS.some((kind) => extensionsOf([content], kind).length > 0);
}

/** The code of the plugins in a project's settings, with everything it imports by path. */
export function pluginFiles(settings: ProjectContent | undefined, root: string): ProjectContent[] {
  const files = new Set<string>();
  for (const place of settings ? namedPlugins(settings) : []) {
    const where = pluginPlace(place, path.dirname(settings?.file ?? root), { root });
    const entry = moduleEntry(where);
    if (entry !== null) addImports(entry, files);
    for (const name of filesUnder(path.join(where, 'skills'), ''))
      if (PLACES.skill.file.test(name)) files.add(path.join(where, 'skills', name));
  }
  return [...files].sort().map((file) => ({ name: nameOf(file, root), file, text: shown(peek.text(file)) }));
}

/**
 * A path relative to the settings folder, or where the package is installed; only the name if it is not
 * found.
 */
export function pluginPlace(
  written: string,
  base: string,
  { root, dataRoot }: { root: string; dataRoot?: string },
): string {
  if (!isPackageName(written)) return path.resolve(base, written);
  const own = dataRoot === undefined ? null : packageFolder(written, dataRoot, dataRoot);
  return packageFolder(written, base, root) ?? own ?? written;
}

function namedPlugins({ text }: ProjectContent): string[] {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const plugins = isObject(value) && Array.isArray(value.plugins) ? value.plugins : [];
  return plugins.filter((one) => typeof one === 'string');
}

function addImports(file: string, files: Set<string>): void {
  if (files.has(file)) return;
  files.add(file);
  const written = peek
    .text(file)
    .matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'`])(\.{1,2}\/[^"'`]+)\1/g);
  for (const [, , name = ''] of written) {
    const target =
      moduleEntry(path.resolve(path.dirname(file), name)) ??
      moduleEntry(`${path.resolve(path.dirname(file), name)}.js`);
    if (target !== null) addImports(target, files);
  }
}

function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.length} characters, SHA-256 ${sha256(text)}\n`;
}

function* filesUnder(folder: string, prefix: string, depth = 0): Generator<string> {
  const found = depth > 4 ? null : peek.folder(folder);
  for (const name of found?.files ?? []) yield prefix + name;
  for (const name of found?.folders ?? [])
    yield* filesUnder(path.join(folder, name), `${prefix}${name}/`, depth + 1);
}

function read(file: string, root: string): ProjectContent[] {
  const size = peek.file(file)?.size;
  if (size === undefined || size > MAX_BYTES || !isInside(realpathSync(root), realpathSync(file))) return [];
  return [{ name: nameOf(file, root), file, text: peek.text(file) }];
}

function nameOf(file: string, root: string): string {
  return path.relative(root, file).replaceAll(path.sep, '/');
}

function foldersDown(outer: string, inner: string): string[] {
  const names = isInside(outer, inner) ? path.relative(outer, inner).split(path.sep).filter(Boolean) : [];
  return [outer, ...names.map((_, i) => path.join(outer, ...names.slice(0, i + 1)))];
}
