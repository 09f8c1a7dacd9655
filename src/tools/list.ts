import path from 'node:path';
import * as z from 'zod';
import { countOf } from '../contract/display.ts';
import { defineTool, type FileStat, type Files, fail, ok } from '../contract/tool.ts';
import { quotedName } from '../lib/paths/quoted-name.ts';
import { fullLimits } from '../lib/results/result-limits.ts';
import { humanSize } from '../lib/text/size.ts';
import { adaptList } from './dialects/adapt-reading.ts';
import { FILE_NAMES, FOLDER_NAMES } from './dialects/names.ts';
import { explainMissing } from './reading/folder.ts';
import { fitting } from './reading/page.ts';

const MAX_DEPTH = 3;
const MAX_ENTRIES = 400;
/**
 * In a larger tree some files cannot be distinguished from ignored ones; folders without a known file are
 * then shown.
 */
const MAX_KNOWN = 50_000;

export const list = defineTool({
  name: 'List',
  aliases: ['list_files', 'list_directory', 'list_dir', 'ls', 'tree'],
  argumentAliases: {
    path: [...FOLDER_NAMES, ...FILE_NAMES],
    depth: ['max_depth', 'levels', 'level'],
    include_ignored: ['no_ignore', 'include_hidden', 'hidden', 'all', '-a'],
  },
  adapt: adaptList,
  description:
    'List a folder as a tree: folders with the number of files in them, files with their size. Ignored and hidden ' +
    'entries are skipped and counted.',
  input: () =>
    z.object({
      path: z.string().min(1).default('.').describe('Folder to list'),
      depth: z.number().int().min(1).max(MAX_DEPTH).default(1).describe('How many levels to show'),
      include_ignored: z
        .boolean()
        .default(false)
        .describe('Include hidden entries and those ignored by .gitignore'),
    }),

  title: ({ path: folder }, shown) => `List ${shown(folder)}`,
  results: 'names',
  explores: 'folder',
  access: ({ path: folder }) => [{ kind: 'read', target: folder }],

  async run({ path: folder, depth, include_ignored }, { cwd, files, search, signal, limits }) {
    const stat = await files.stat(folder);
    if (!stat) return fail(await explainMissing(folder, files));
    if (stat.type !== 'directory') return fail(`${folder} is a file. Read it, or list its folder.`);

    const found = include_ignored ? null : await search.files('**/*', folder, { limit: MAX_KNOWN, signal });
    const known = found && countsOf(found.paths.map((file) => path.resolve(cwd, file)));
    const tree = new Tree(files, { known, complete: found !== null && found.total <= MAX_KNOWN, signal });
    await tree.add(stat.path, { indent: '', depth });

    const { text, shown } = fitting(tree.lines, (limits ?? fullLimits).names);
    const left = tree.total - shown;
    const notes = [
      left > 0 &&
        `[${left} more ${left === 1 ? 'entry' : 'entries'}; list a subfolder, or less depth, to see more]`,
      tree.leftOut > 0 &&
        `[${tree.leftOut} hidden, ignored or linked ${tree.leftOut === 1 ? 'entry' : 'entries'} skipped; set include_ignored to show them]`,
    ].filter((note) => note !== false);
    const extra = {
      metadata: { total: tree.total, leftOut: tree.leftOut },
      summary: countOf('entry', tree.total),
    };
    if (tree.lines.length === 0) return ok([`${folder} is empty.`, ...notes].join('\n'), extra);
    return ok([text, ...notes].join('\n'), extra);
  },
});

/** How many of these files are at or under each path. */
function countsOf(files: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) {
    for (let at = file; ; at = path.dirname(at)) {
      counts.set(at, (counts.get(at) ?? 0) + 1);
      if (path.dirname(at) === at) break;
    }
  }
  return counts;
}

type TreeOptions = {
  /** The paths that may be shown, with the number of files under each; null shows everything. */
  known: Map<string, number> | null;
  complete: boolean;
  signal: AbortSignal;
};

class Tree {
  readonly lines: string[] = [];
  total = 0;
  leftOut = 0;
  readonly #files: Files;
  readonly #options: TreeOptions;

  constructor(files: Files, options: TreeOptions) {
    this.#files = files;
    this.#options = options;
  }

  async add(folder: string, { indent, depth }: { indent: string; depth: number }): Promise<void> {
    const entries = await this.#files.list(folder);
    for (const entry of [...entries.filter(isFolder), ...entries.filter((one) => !isFolder(one))]) {
      this.#options.signal.throwIfAborted();
      const name = quotedName(path.basename(entry.path));
      if (!isFolder(entry)) {
        if (this.#shows(entry))
          this.#put(`${indent}${name}${entry.type === 'other' ? '' : `  ${humanSize(entry.size)}`}`);
        continue;
      }
      const inside = await this.#inside(entry);
      if (inside === null) continue;
      this.#put(`${indent}${name}/${inside}`);
      // An unreadable folder has a note instead of entries.
      const descends =
        depth > 1 && inside !== UNREADABLE && name !== '.git' && this.lines.length < MAX_ENTRIES;
      if (descends) await this.add(entry.path, { indent: `${indent}  `, depth: depth - 1 });
    }
  }

  #put(line: string): void {
    this.total++;
    if (this.lines.length < MAX_ENTRIES) this.lines.push(line);
  }

  #shows(entry: FileStat): boolean {
    const { known, complete } = this.#options;
    if (known === null || known.has(entry.path)) return true;
    if (!complete && !path.basename(entry.path).startsWith('.')) return true;
    this.leftOut++;
    return false;
  }

  /** The note after a folder's name; null if it is not shown. */
  async #inside(entry: FileStat): Promise<string | null> {
    const { known } = this.#options;
    if (known === null && this.lines.length >= MAX_ENTRIES) return '';
    const count = known?.get(entry.path);
    if (count !== undefined) return `  ${count} ${count === 1 ? 'file' : 'files'}`;
    const hidden = path.basename(entry.path).startsWith('.');
    if (known !== null && hidden) return this.#shows(entry) ? '' : null;
    // Without a known file it is empty, closed, contains only hidden entries and empty folders, or is
    // ignored.
    const entries = await this.#files.list(entry.path).catch(() => null);
    if (entries === null) return UNREADABLE;
    if (entries.length === 0) return '  empty';
    if (known !== null && (await this.#isBare(entry, { folders: MAX_BARE }))) return '  0 files';
    return this.#shows(entry) ? '' : null;
  }

  /**
   * Whether a folder contains, at any depth, only folders and hidden entries; `left` limits how many are
   * checked.
   */
  async #isBare(folder: FileStat, left: { folders: number }): Promise<boolean> {
    this.#options.signal.throwIfAborted();
    if (left.folders-- <= 0 || (await this.#isLink(folder))) return false;
    const entries = await this.#files.list(folder.path).catch(() => null);
    const plain = entries?.filter((one) => !path.basename(one.path).startsWith('.'));
    if (!plain?.every(isFolder)) return false;
    for (const one of plain) if (!(await this.#isBare(one, left))) return false;
    return true;
  }

  async #isLink({ path: place }: FileStat): Promise<boolean> {
    // A path that is too deep to reach does not count as a folder.
    const stat = await this.#files.stat(place, { itself: true }).catch(() => null);
    return stat?.type !== 'directory';
  }
}

/** A folder with more subfolders than this and no file counts as ignored. */
const MAX_BARE = 200;
const UNREADABLE = '  cannot be read';

function isFolder(entry: FileStat): boolean {
  return entry.type === 'directory';
}
