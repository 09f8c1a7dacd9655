import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import {
  checkedStartupRule,
  isAboveStartupFile,
  mayBeStartupFile,
  sealedNames,
} from '../../contract/startup-files.ts';
import { entriesOf, ifAccessible, isSettled } from '../files/if-accessible.ts';

/** `via` is the link that makes it a startup file; without that link it would be an ordinary file. */
export type Place = { path: string; because: string; via?: string };
type Found = { files: Place[]; folders: ReadonlySet<string> };

export type StartupSearch = {
  /** All existing ones, except those to skip. */
  (skip: ReadonlySet<string>): Promise<Found>;
  /** The sealed names that exist at the top of a root and are not links. */
  sealed(): string[];
};

/** Breadth first, so that only deep folders are beyond the limit. */
const MAX_FOLDERS = 20_000;
/** Through links, which may be circular. */
const MAX_LINKS = 4;
const PAUSE_EVERY_MS = 12;
/** Managed by package tools and version control, which have their own mechanisms to run things. */
const skippedNames = new Set([
  ...['.git', '.hg', '.svn', '.jj', 'node_modules', 'bower_components'],
  ...['.venv', 'venv', '.tox', '__pycache__', 'site-packages', '.terraform', 'Pods', 'DerivedData'],
]);

type Folder = { changed: bigint; files: Place[]; folders: Step[] };
/** `link` is the one that led here, `because` why everything in the folder counts. */
type Step = { path: string; links: number; because: string | null; link?: string };

/**
 * Searches whole projects for startup files. An unchanged folder is not read again, so that another search
 * costs one stat per folder.
 */
export function createStartupSearch(roots: readonly string[]): StartupSearch {
  const known = new Map<string, Folder>();

  function read({ path: folder, links, because, link }: Step): Folder | null {
    const changed = changeOf(folder);
    if (changed === null) return null;
    const before = known.get(folder);
    if (before?.changed === changed) return before;
    const found: Folder = { changed, files: [], folders: [] };
    for (const entry of entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      const rule =
        because ?? (mayBeStartupFile(entry.name) ? checkedStartupRule(file)?.because : null) ?? null;
      if (entry.isDirectory()) {
        if (!skippedNames.has(entry.name))
          found.folders.push({ path: file, links, because: rule, ...(link !== undefined && { link }) });
      } else if (entry.isSymbolicLink()) {
        if (rule !== null) found.files.push({ path: file, because: rule }, ...targetOf(file, rule));
        if ((rule !== null || isAboveStartupFile(file)) && links < MAX_LINKS && isFolder(file))
          found.folders.push({ path: file, links: links + 1, because: rule, link: link ?? file });
      } else if (entry.isFile() && rule !== null) found.files.push({ path: file, because: rule });
    }
    const first = found.files[0];
    if (link !== undefined && first) found.files.push({ path: link, because: first.because });
    if (isSettled(changed)) known.set(folder, found);
    return found;
  }

  async function search(skip: ReadonlySet<string>): Promise<Found> {
    const files: Place[] = [];
    const folders = new Set<string>();
    let lastPause = performance.now();
    let level: Step[] = roots.map((root) => ({ path: root, links: 0, because: null }));
    while (level.length > 0) {
      const next: Step[] = [];
      for (const step of level) {
        if (folders.size >= MAX_FOLDERS) return { files, folders };
        if (skip.has(step.path)) continue;
        const folder = read(step);
        if (!folder) continue;
        folders.add(step.path);
        files.push(...folder.files.filter(({ path: file }) => !skip.has(file)));
        next.push(...folder.folders);
        if (performance.now() - lastPause < PAUSE_EVERY_MS) continue;
        await pause();
        lastPause = performance.now();
      }
      level = next;
    }
    return { files, folders };
  }

  return Object.assign(search, {
    sealed: () =>
      roots
        .flatMap((root) => sealedNames.map((name) => path.join(root, name)))
        .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === false),
  });
}

/** The target of a link: changing it changes what the link provides. */
function targetOf(link: string, because: string): Place[] {
  const target = ifAccessible(() => realpathSync(link));
  if (target === null || checkedStartupRule(target) || isFolder(target)) return [];
  return [{ path: target, because, via: link }];
}

function changeOf(folder: string): bigint | null {
  return ifAccessible(() => statSync(folder, { bigint: true }).ctimeNs);
}

function isFolder(file: string): boolean {
  return ifAccessible(() => statSync(file).isDirectory()) ?? false;
}
