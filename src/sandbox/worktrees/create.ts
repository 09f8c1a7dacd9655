import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { commitTree, git, gitOutput, quietAttributes, type Variables } from './hardened-git.ts';
import { findSource, inRepository, type Source } from './origin.ts';
import { removeWorktree } from './remove.ts';
import { emptyTree, leaveOut, modulesIn, type Stage, stageAll } from './stage.ts';
import {
  claimWorktree,
  type Description,
  describeWorktree,
  lockWorktree,
  placesIn,
  type Worktree,
  worktreeAt,
} from './worktree.ts';

export type WorktreeOptions = {
  /** A folder in a repository, a bare repository, or a folder without one. */
  repository: string;
  /** What `findSource` found for both, to make several worktrees of one commit. */
  source?: Source;
  /** A commit, a branch or a tag. Default: the current commit. */
  base?: string;
  /** Also the changes that are not committed, and new files. Always so without a repository or a commit. */
  uncommitted?: boolean;
  /** A folder to create for it. */
  at: string;
  /** The name of the current branch in it. */
  branch?: string;
  /** Ignored folders to link, from the top: `node_modules`. */
  links?: readonly string[];
  env: Variables;
  signal?: AbortSignal;
};

/** More files are not copied from a folder without a repository: it is probably not a project. */
const MAX_COPIED = 50_000;

/** Creates a worktree, and locks it for this process. Runs nothing of the repository. */
export async function createWorktree(options: WorktreeOptions): Promise<Worktree> {
  const { repository, at, env, base } = options;
  const source =
    options.source ?? (await findSource(repository, { env, ...(base !== undefined && { base }) }));
  makePrivateFolder(path.dirname(at));
  makeNewFolder(at);
  const lock = await lockWorktree(at);
  if (!lock) throw new UserError(`${at} is in use.`, 'Choose another folder.');
  const { root, gitDir, within } = source;
  const creating: Description = {
    origin: { root, gitDir },
    base: null,
    within,
    links: [],
    modules: [],
    createdAt: new Date().toISOString(),
  };
  // Nothing is lost with it if the machine crashes.
  writeFileSync(placesIn(at).description, JSON.stringify(creating), { mode: 0o600 });
  try {
    const made = { ...creating, ...(await fill(source, options)) };
    const worktree = worktreeAt(at, made, { env, lock });
    if (!worktree) throw new Error(`${at} has no base.`);
    makeFolder(worktree.cwd);
    describeWorktree(at, made);
    return worktree;
  } catch (error) {
    await removeWorktree({ at, lock }).catch(() => lock.release());
    throw error;
  }
}

/** One that another process makes at the same time is not taken over. */
function makeNewFolder(at: string): void {
  try {
    mkdirSync(at, { mode: 0o700 });
  } catch (error) {
    if (!isErrno(error, ['EEXIST'])) throw error;
    throw new UserError(`${at} already exists.`, 'Choose another folder.', { cause: error });
  }
}

/** The worktree that is in the folder already, or a new one. Null if it is in use or damaged. */
export async function openOrCreate(options: WorktreeOptions): Promise<Worktree | null> {
  return existsSync(options.at) ? claimWorktree(options.at, options.env) : createWorktree(options);
}

async function fill(
  source: Source,
  { at, env, uncommitted = false, branch = 'work', links = [], signal }: WorktreeOptions,
): Promise<Pick<Description, 'base' | 'links' | 'modules'>> {
  const { tree, record } = placesIn(at);
  const gitDir = path.join(tree, '.git');
  const place = {
    cwd: tree,
    env,
    gitDir,
    workTree: tree,
    index: path.join(gitDir, 'index'),
    ...(signal && { signal }),
  };
  mkdirSync(tree);
  await initialize(source, place, branch);
  const base = uncommitted || source.commit === null ? await snapshot(source, place) : source.commit;
  await gitOutput(place, ['reset', '--quiet', '--hard', base]);
  if (source.commit === null && source.root !== null) await copyEmptyFolders(source.root, place);
  const linked =
    source.root === null ? [] : links.filter((name) => linkFolder(source.root ?? '', tree, name));
  appendFileSync(path.join(gitDir, 'info', 'exclude'), linked.map((name) => `/${escaped(name)}\n`).join(''));
  cpSync(gitDir, record, { recursive: true, verbatimSymlinks: true });
  const ours: Stage = { ...place, gitDir: record, index: path.join(record, 'index') };
  const modules = base === source.commit ? source.modules : await modulesIn(ours, base);
  await leaveOut(ours, modules);
  const isPresent = (name: string) => existsSync(path.join(tree, name));
  return { base, links: linked, modules: modules.map((one) => ({ ...one, isPresent: isPresent(one.path) })) };
}

/** An empty git folder that borrows the objects of the repository. */
async function initialize(
  { gitDir, ownGitDir, format, settings }: Source,
  place: Stage,
  branch: string,
): Promise<void> {
  const { gitDir: _, workTree: __, index: ___, ...outside } = place;
  await gitOutput(outside, [
    'init',
    '--quiet',
    '--template=',
    `--initial-branch=${branch}`,
    ...(format === null ? [] : [`--object-format=${format}`]),
    '.',
  ]);
  const at = (...names: string[]) => path.join(place.gitDir, ...names);
  makeFolder(at('info'));
  writeFileSync(at('info', 'attributes'), quietAttributes);
  writeFileSync(at('info', 'exclude'), textIfAny(gitDir, 'info/exclude'));
  if (gitDir === null) return;
  makeFolder(at('objects', 'info'));
  writeFileSync(at('objects', 'info', 'alternates'), `${quoted(path.join(gitDir, 'objects'))}\n`);
  for (const name of ['info/sparse-checkout', 'shallow']) {
    const text = textIfAny(name === 'shallow' ? gitDir : ownGitDir, name);
    if (text !== '') writeFileSync(at(name), text);
  }
  appendFileSync(at('config'), configLines(settings));
}

/** A commit with the files as they are now; the last commit itself if they are the same. */
async function snapshot({ root, commit, ownGitDir, modules }: Source, place: Stage): Promise<string> {
  if (root === null) throw new UserError('A bare repository has no files.', 'Name a commit.');
  const stage: Stage = { ...place, cwd: root, workTree: root, index: path.join(place.gitDir, 'snapshot') };
  if (commit === null) await limitFiles(stage);
  else {
    await gitOutput(stage, ['read-tree', commit]);
    await leaveOut(stage, modules);
    if (ownGitDir !== null) await skipSparse(stage, ownGitDir);
  }
  const isPresent = (name: string) => existsSync(path.join(root, name));
  const present = modules.map((one) => ({ ...one, isPresent: isPresent(one.path) }));
  const { tree, files } = await stageAll(stage, present, commit);
  if (commit !== null && files.length === 0) return commit;
  return commitTree(place, { tree, parent: commit, message: 'Files that are not committed' });
}

/** Git does not know them, and there is no commit from which they could be missing. */
async function copyEmptyFolders(root: string, place: Stage): Promise<void> {
  const stage: Stage = { ...place, cwd: root, workTree: root, index: path.join(place.gitDir, 'snapshot') };
  const listed = await gitOutput(stage, ['ls-files', '--others', '--directory', '--exclude-standard', '-z']);
  const copy = (folder: string): void => {
    const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
    if (entries.some(({ name }) => name === '.git')) return;
    makeFolder(path.join(place.workTree, folder));
    // What is in them is ignored, or unreadable.
    if (!entries.every((entry) => entry.isDirectory())) return;
    for (const { name } of entries) copy(path.join(folder, name));
  };
  for (const folder of listed.split('\0').filter((name) => name.endsWith('/')))
    unlessErrno(['ENOENT', 'EACCES'], null, () => copy(folder));
}

async function limitFiles(stage: Stage): Promise<void> {
  await gitOutput(stage, ['read-tree', await emptyTree(stage)]);
  const listed = await gitOutput(stage, ['ls-files', '--others', '--exclude-standard', '-z']);
  if (listed.split('\0').length > MAX_COPIED)
    throw new UserError(
      `${stage.workTree} has too many files to copy.`,
      'Run `git init` and commit what matters.',
    );
}

/** Files that a sparse checkout leaves out are not deleted. */
async function skipSparse(stage: Stage, ownGitDir: string): Promise<void> {
  const theirs = inRepository(ownGitDir, stage.env);
  if ((await git(theirs, ['config', '--type=bool', 'core.sparseCheckout'])).out.trim() !== 'true') return;
  const listed = await gitOutput({ ...theirs, workTree: stage.workTree, cwd: stage.workTree }, [
    'ls-files',
    '-t',
    '-z',
  ]);
  const names = listed.split('\0').filter((line) => line.startsWith('S '));
  const known = new Set((await gitOutput(stage, ['ls-files', '-z'])).split('\0'));
  const skipped = names.map((line) => line.slice(2)).filter((name) => known.has(name));
  await gitOutput(
    stage,
    ['update-index', '--skip-worktree', '-z', '--stdin'],
    skipped.map((name) => `${name}\0`).join(''),
  );
}

/** Whether it is linked now: only a real folder that is not among the files. */
function linkFolder(root: string, tree: string, name: string): boolean {
  const from = path.join(root, name);
  const to = path.join(tree, name);
  const isPlain = path.normalize(name) === name && !path.isAbsolute(name) && !name.startsWith('..');
  const isFolder = unlessErrno('any', false, () => lstatSync(from).isDirectory());
  const isFree = unlessErrno(['ENOTDIR'], false, () => !lstatSync(to, { throwIfNoEntry: false }));
  if (!isPlain || !isFolder || !isFree || !existsSync(path.dirname(to))) return false;
  symlinkSync(from, to, 'junction');
  return true;
}

/** As lines of a git config, from what `git config -z` prints. */
function configLines(printed: string): string {
  const settings = printed.split('\0').flatMap((one) => {
    const [, section, key, value] = /^(\w+)\.(\w+)\n(.*)$/s.exec(one) ?? [];
    return section !== undefined && key !== undefined && value !== undefined ? [{ section, key, value }] : [];
  });
  return settings
    .map(
      ({ section, key, value }) =>
        `[${section}]\n\t${key} = "${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`,
    )
    .join('');
}

function textIfAny(folder: string | null, name: string): string {
  if (folder === null) return '';
  return unlessErrno('any', '', () => readRegularText(path.join(folder, name)));
}

/** As git writes unusual paths in its own files. */
function quoted(file: string): string {
  return /[\n"\\]/.test(file) ? `"${file.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : file;
}

/** A name in an ignore file. */
function escaped(name: string): string {
  return name.replaceAll(path.sep, '/').replaceAll(/[*?[\]\\!# ]/g, '\\$&');
}
