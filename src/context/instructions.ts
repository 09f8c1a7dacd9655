import path from 'node:path';
import { isInside } from '../lib/paths/inside.ts';
import { createImports, type Owner, type ReadText, type Sent } from './imports.ts';
import { type RuleFolder, ruleFolders, ruleText } from './instruction-rules.ts';

export type Instruction = { file: string; text: string };

/** Rules for files that match, relative to a folder. `real` is where its file is. */
export type PathRule = Instruction & {
  real: string;
  base: string;
  globs: readonly string[];
  bare: RuleFolder['bare'];
};

export type Found = { instructions: Instruction[]; rules: PathRule[]; notices: string[] };

/** `list`: the files under a folder, by their relative paths with forward slashes. */
export type Disk = { read: ReadText; list(folder: string): readonly string[]; home: string; sent: Sent };

/** File names in a project folder. Of several on one line, the first that exists is used. */
const NAMES = [
  ['.github/copilot-instructions.md'],
  ['.cursorrules'],
  ['GEMINI.md'],
  ['AGENTS.override.md', 'AGENTS.md'],
  ['CLAUDE.md'],
  ['.claude/CLAUDE.md'],
  ['CLAUDE.local.md'],
  ['.ai-assistant/instructions.md'],
];
/** File names in the data root, which is itself the `.ai-assistant` folder. */
const OWN_NAMES = ['AGENTS.md', 'CLAUDE.md', 'instructions.md'];

const MAX_FILE = 32 * 1024;
const MAX_ALL = 64 * 1024;
/** A shorter excerpt of a long text is not worth including. */
const WORTH_KEEPING = 1024;

/** A folder of the user with instructions for another assistant, and the kind of its `rules` folder. */
export type UserFolder = { folder: string; names: readonly string[]; rules?: RuleFolder };

export type Places = { dataRoot: string; others: readonly UserFolder[]; repository: string; cwd: string };

/** `files`: the first that exists is used. `rules`: it is one of a folder of rules for files in `base`. */
type Entry = { files: readonly string[]; owner: Owner; rules?: RuleFolder & { base: string } };

/**
 * The user's own first, then the repository root and each folder down to the working directory: later ones
 * take precedence.
 */
export async function findInstructions(
  { dataRoot, others, repository, cwd }: Places,
  disk: Disk,
): Promise<Found> {
  const user = others.flatMap(({ folder, names, rules }): Entry[] => [
    { files: names.map((name) => path.join(folder, name)), owner: 'user' },
    ...(rules ? ruleEntries({ ...rules, base: repository }, path.join(folder, 'rules'), 'user', disk) : []),
  ]);
  const own = OWN_NAMES.map((name): Entry => ({ files: [path.join(dataRoot, name)], owner: 'user' }));
  const project = foldersDown(repository, cwd).flatMap((folder) => entriesIn(folder, disk));
  return load([...user, ...own, ...project], disk);
}

/** The instructions of one folder. */
export function folderInstructions(folder: string, disk: Disk): Promise<Found> {
  return load(entriesIn(folder, disk), disk);
}

/** From the outermost to the innermost, both included; only the inner one if it is not inside the outer. */
export function foldersDown(outer: string, inner: string): string[] {
  if (!isInside(outer, inner)) return [inner];
  const names = path.relative(outer, inner).split(path.sep).filter(Boolean);
  return [outer, ...names.map((_, i) => path.join(outer, ...names.slice(0, i + 1)))];
}

function entriesIn(folder: string, disk: Disk): Entry[] {
  const named = NAMES.map(
    (names): Entry => ({
      files: names.map((name) => path.join(folder, name)),
      owner: 'project',
    }),
  );
  const rules = ruleFolders.flatMap((rules) =>
    ruleEntries({ ...rules, base: folder }, path.join(folder, rules.folder), 'project', disk),
  );
  return [...named, ...rules];
}

function ruleEntries(
  rules: NonNullable<Entry['rules']>,
  folder: string,
  owner: Owner,
  { list }: Disk,
): Entry[] {
  const names = list(folder).filter((name) => rules.file.test(name));
  return names.toSorted().map((name) => ({ files: [path.join(folder, name)], owner, rules }));
}

type Loaded = { file: string; real: string; text: string; owner: Owner };

async function load(entries: readonly Entry[], disk: Disk): Promise<Found> {
  const { home, sent, read } = disk;
  const notices: string[] = [];
  const always: Loaded[] = [];
  const matching: (Loaded & Omit<PathRule, keyof Instruction>)[] = [];
  const described: string[] = [];
  for (const { files, owner, rules } of entries) {
    const found = await firstOf(files, owner, { disk, notices });
    if (!found || sent.files.has(found.real)) continue;
    const use = rules?.useOf(found.text) ?? { type: 'always' };
    const one = { ...found, owner, text: rules ? ruleText(found.text) : found.text };
    if (use.type === 'described') described.push(`- ${one.file}: ${use.description}`);
    if (use.type === 'paths' && rules) matching.push({ ...one, ...use, base: rules.base, bare: rules.bare });
    // Many projects have the same text under two names; it counts once.
    if (use.type !== 'always' || sent.texts.has(one.text.trim())) continue;
    sent.files.add(one.real);
    sent.texts.add(one.text.trim());
    always.push(one);
  }
  const imports = createImports({ read, home, sent, notices });
  const instructions: Instruction[] = [];
  for (const one of always) {
    const { text, isOnlyImports } = await imports.expand(one);
    if (text.trim() !== '' && !isOnlyImports) instructions.push({ file: one.file, text });
  }
  if (described.length > 0)
    instructions.push({ file: 'rules', text: `${READ_RULES}\n${described.join('\n')}` });
  const rules: PathRule[] = [];
  for (const one of matching) {
    // They may never be sent, so what they import does not count as sent.
    const later = createImports({ read, home, sent: { ...sent, files: new Set(sent.files) }, notices });
    const [kept] = bounded([{ file: one.file, text: (await later.expand(one)).text }], notices);
    if (kept) rules.push({ ...one, ...kept });
  }
  imports.finish();
  return { instructions: bounded(instructions, notices), rules, notices };
}

const READ_RULES = 'Before work that one of these files is for, read it:';

async function firstOf(
  files: readonly string[],
  owner: Owner,
  { disk, notices }: { disk: Disk; notices: string[] },
): Promise<Omit<Loaded, 'owner'> | null> {
  for (const file of files) {
    const read = await disk.read(file, owner);
    if (read.type === 'text') return { file, text: read.text, real: read.real };
    if (read.type === 'refused') notices.push(`Skipped ${file}: ${read.because}.`);
  }
  return null;
}

/** If the total is too large, the nearest are kept. */
function bounded(found: readonly Instruction[], notices: string[]): Instruction[] {
  const kept: Instruction[] = [];
  let room = MAX_ALL;
  for (const { file, text: whole } of [...found].reverse()) {
    const limit = Math.min(MAX_FILE, room);
    const text = Buffer.byteLength(whole) > limit && limit < WORTH_KEEPING ? '' : cutBytes(whole, limit);
    room -= Buffer.byteLength(text);
    if (text.length < whole.length)
      notices.push(
        `${file}: ${text === '' ? 'skipped' : `only the first ${limit / 1024} KB are used`}; the limits are ${MAX_FILE / 1024} KB per file and ${MAX_ALL / 1024} KB in total.`,
      );
    if (text !== '') kept.unshift({ file, text });
  }
  return kept;
}

/** At most this many bytes, without splitting a character. */
function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}
