import path from 'node:path';
import { z } from 'zod';
import { toJsonLines } from '../../lib/files/json-lines.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { FileState } from '../undo/file-state.ts';
import { COMMIT, HEAD } from '../undo/git-state.ts';
import type { UndoRecord } from '../undo/undo-log.ts';

/** An undo log as it is in a bundle: its paths are relative to the working directory, with slashes. */

const hash = z.union([z.null(), z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]);
const state = z.strictObject({
  type: z.enum(['file', 'link', 'folder', 'other']),
  mode: z.int().min(0).max(0o7777).nullable(),
  hash,
});
const place = z.string().refine(isPortable);
const change = z.strictObject({
  path: place,
  before: state.nullable(),
  after: state.nullable(),
  doubt: z.string().optional(),
});
const changes = z.array(change);
const run = z.int().min(-1);

const recordSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run'),
    at: z.string(),
    prompt: z.string(),
    message: z.int().min(0),
    isReview: z.literal(true).optional(),
  }),
  z.strictObject({
    type: z.literal('git'),
    state: z.union([
      z.literal('elsewhere'),
      z.strictObject({
        head: z.string().regex(HEAD),
        commit: z.string().regex(COMMIT).nullable(),
        index: z.null(),
      }),
    ]),
  }),
  change.extend({ type: z.literal('change') }),
  z.strictObject({ type: z.literal('command') }),
  z.strictObject({ type: z.literal('command_end'), changes, run: run.optional() }),
  z.strictObject({ type: z.literal('found'), changes, run }),
  z.strictObject({ type: z.literal('undone'), runs: z.array(run), changes }),
  z.strictObject({ type: z.literal('redone'), changes }),
  change.extend({ type: z.literal('accepted'), at: z.string() }),
  z.strictObject({ type: z.literal('withheld'), files: z.array(z.strictObject({ path: place, hash })) }),
  z.strictObject({ type: z.literal('start'), files: z.array(z.strictObject({ path: place, state })) }),
]);

export function isVersionControl(name: string): boolean {
  return /^\.(git|hg|svn|jj|bzr)$/i.test(name);
}

/** Inside the folder, and not in the data of a version control system, which undo never touches. */
function isPortable(text: string): boolean {
  if (text.includes('\0') || path.win32.isAbsolute(text) || path.posix.isAbsolute(text)) return false;
  if (path.sep === '\\' && text.includes('\\')) return false;
  return text.split('/').every((part) => !['', '.', '..'].includes(part) && !isVersionControl(part));
}

/** `outside` are changed paths that are not in the folder: they cannot be undone elsewhere. */
export type PortableUndo = { records: UndoRecord[]; outside: string[] };

/** `roots` are the names of the working directory: as the user wrote it, and without links. */
export function portableUndo(records: readonly UndoRecord[], roots: readonly string[]): PortableUndo {
  const outside = new Set<string>();
  const relative = (file: string): string | null => {
    for (const root of roots) {
      const inner = path.relative(root, file).split(path.sep).join('/');
      if (isPortable(inner)) return inner;
    }
    outside.add(file);
    return null;
  };
  return { records: records.flatMap((record) => mapPaths(record, relative)), outside: [...outside] };
}

/** Throws what is wrong with the bytes of a portable log, as a part of a sentence. */
export function undoRecordsAt(bytes: Buffer, root: string): UndoRecord[] {
  const lines = bytes.toString('utf8').split('\n').filter(Boolean);
  return lines.flatMap((line, i) => {
    const record = recordSchema.safeParse(parseJson(line)).data;
    if (!record) throw new Error(`line ${i + 1} of its undo log is invalid`);
    // An absent option is absent, not undefined.
    return mapPaths(record as UndoRecord, (file) => path.join(root, ...file.split('/')));
  });
}

export function undoBytes(records: readonly UndoRecord[]): Buffer {
  return Buffer.from(toJsonLines(records));
}

/** Leaves out what has no new path, and records of a newer version. */
export function mapPaths(record: UndoRecord, pathOf: (file: string) => string | null): UndoRecord[] {
  const moved = <T extends { path: string }>(item: T): T[] => {
    const path = pathOf(item.path);
    return path === null ? [] : [{ ...item, path }];
  };
  switch (record.type) {
    case 'change':
    case 'accepted':
      return moved(record);
    case 'command_end':
    case 'found':
    case 'undone':
    case 'redone':
      return [{ ...record, changes: record.changes.flatMap(moved) }];
    case 'withheld':
      return [{ ...record, files: record.files.flatMap(moved) }];
    case 'start':
      return [{ ...record, files: record.files.flatMap(moved) }];
    case 'run':
    case 'git':
    case 'command':
      return [record];
    default:
      record satisfies never;
      return [];
  }
}

/** Replaces the states of all paths. */
export function mapStates(record: UndoRecord, stateOf: (state: FileState) => FileState): UndoRecord {
  const changed = <T extends { before: FileState | null; after: FileState | null }>(item: T): T => ({
    ...item,
    before: item.before && stateOf(item.before),
    after: item.after && stateOf(item.after),
  });
  switch (record.type) {
    case 'change':
    case 'accepted':
      return changed(record);
    case 'command_end':
    case 'found':
    case 'undone':
    case 'redone':
      return { ...record, changes: record.changes.map(changed) };
    case 'start':
      return { ...record, files: record.files.map((file) => ({ ...file, state: stateOf(file.state) })) };
    case 'withheld':
    case 'run':
    case 'git':
    case 'command':
      return record;
    default:
      return record satisfies never;
  }
}
