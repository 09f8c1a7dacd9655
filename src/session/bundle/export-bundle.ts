import { createWriteStream, existsSync, readdirSync, realpathSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularFile } from '../../lib/files/regular-file.ts';
import { requireKnownVersion } from '../journal-version.ts';
import type { SessionPlace } from '../session-place.ts';
import { inspect, statIfAny } from '../undo/file-state.ts';
import { Objects } from '../undo/objects.ts';
import { foldHistory, readUndoRecords, type UndoRecord } from '../undo/undo-log.ts';
import { BUNDLE_VERSION, type BundleHeader, isBundleName, type Packed, pack } from './container.ts';
import { filesAtStart } from './files-at-start.ts';
import { endingEpochs, mapJournal, mapValue, type TextChange, textsIn } from './map-texts.ts';
import { mapPaths, portableUndo, undoBytes } from './portable-undo.ts';

/** Finds secrets. `learn` is called with everything first, so that a secret is hidden wherever it appears. */
export type Redaction = {
  learn(text: string): void;
  hide(text: string): string;
  /** Whether a file may never be read, such as a key. */
  isClosed(file: string): boolean;
};

export type BundleOptions = {
  place: SessionPlace;
  workingDirectory: string;
  /** Absent: secrets stay in the bundle. */
  redaction?: Redaction;
  /** All files of the working directory are included, not only those that the conversation names. */
  allFiles?: boolean;
  dataRoot: string;
};

export type Bundle = {
  header: BundleHeader;
  contents: Packed[];
  /** Files whose saved content is left out because it contains secrets. */
  withheld: string[];
  /** Changed paths outside the working directory: they cannot be undone elsewhere. */
  outside: string[];
  /** Files whose saved content is gone. */
  missing: string[];
  /** Files that are left out because their names contain secrets. */
  unnamed: string[];
  /** How many files of the working directory are included as they were at the start, without those that changed. */
  files: number;
};

/** Collects everything that belongs to a session. Changes nothing. */
export function collectBundle(options: BundleOptions): Bundle {
  const { place, workingDirectory, redaction } = options;
  const journal = readRegularFile(place.journal);
  requireKnownVersion(journal, place.id);
  const texts = [
    { name: 'session.jsonl', bytes: journal, isJournal: true },
    ...filesIn(place.subagents, 'subagents').map((file) => ({ ...file, isJournal: true })),
    ...filesIn(place.outputs, 'outputs').map((file) => ({ ...file, isJournal: false })),
  ];
  const undo = collectUndo(
    options,
    texts.flatMap(({ bytes, isJournal }) => (isJournal ? textsIn(bytes) : [])),
  );
  const change: TextChange = { text: redaction ? redaction.hide : (text) => text };
  if (redaction) {
    for (const { bytes } of texts) mapJournal(bytes, change);
    redaction.learn('');
  }
  const written = redaction
    ? texts.map(({ name, bytes, isJournal }) => ({
        name,
        bytes: isJournal ? redacted(bytes, change) : Buffer.from(redaction.hide(bytes.toString('utf8'))),
      }))
    : texts;
  const { records, objects, ...lost } = undo(change);
  const log = { name: 'undo.jsonl', bytes: undoBytes(records) };
  const contents: Packed[] = [
    ...[...written, ...(records.length > 0 ? [log] : [])].map(({ name, bytes }) => ({
      name,
      bytes: bytes.length,
      read: () => bytes,
    })),
    ...objects,
  ];
  return {
    header: {
      format: 'aca-session-bundle',
      version: BUNDLE_VERSION,
      session: place.id,
      workingDirectory: change.text(workingDirectory),
      outputs: change.text(place.outputs),
      redacted: redaction !== undefined,
      contents: contents.length,
      bytes: contents.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    contents,
    ...lost,
  };
}

/** A file appears under its name only when it is complete. */
export async function writeBundle({ header, contents }: Bundle, file: string): Promise<void> {
  const temporary = `${file}.part`;
  try {
    const to = createWriteStream(temporary, { mode: 0o600 });
    await pipeline(Readable.from(pack(header, contents)), createGzip(), to);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

type CollectedUndo = {
  records: UndoRecord[];
  objects: Packed[];
} & Pick<Bundle, 'withheld' | 'outside' | 'missing' | 'unnamed' | 'files'>;

/** Learns the secrets of all saved contents; the result is to be called when all secrets are known. */
function collectUndo(
  { place, workingDirectory, redaction, allFiles, dataRoot }: BundleOptions,
  texts: readonly string[],
) {
  const real = existsSync(workingDirectory) ? realpathSync(workingDirectory) : workingDirectory;
  const logged = place.undoLog === null ? [] : readUndoRecords(place.undoLog);
  const files = filesAtStart({
    folder: real,
    records: logged,
    texts: allFiles ? null : texts,
    excluded: new Set([dataRoot]),
  });
  // An imported session has one already, of the time when it really started.
  const imported = foldHistory(logged).start ?? [];
  const known = new Set(imported.map((file) => file.path));
  const all = [...files.filter((file) => !known.has(file.path)), ...imported];
  const atStart: UndoRecord[] = all.length > 0 ? [{ type: 'start', files: all }] : [];
  const later = logged.filter(({ type }) => type !== 'start');
  const { records, outside } = portableUndo([...atStart, ...later], [workingDirectory, real]);
  const saved = new Objects(path.join(place.undoFolder, 'objects'));
  /** What is not saved is read from its file: files at the start that no run has changed. */
  const read = (hash: string, file: string): Buffer | null => {
    const bytes = saved.get(hash);
    if (bytes) return bytes;
    const found = inspect(path.join(real, file));
    return found?.state.hash === hash ? found.bytes : null;
  };
  const contents = contentsIn(records);
  if (redaction) for (const file of [...contents.values()].flat()) redaction.hide(file);
  if (redaction)
    for (const [hash, files] of contents)
      redaction.hide(textOf(read(hash, files[0] ?? '') ?? Buffer.alloc(0)));
  return (change: TextChange): CollectedUndo => {
    const unnamed = new Set<string>();
    const named = records.flatMap((record) =>
      mapPaths(record, (file) => {
        if (change.text(file) === file) return file;
        unnamed.add(file);
        return null;
      }),
    );
    const result: CollectedUndo = {
      ...{ records: [], objects: [], outside, withheld: [], missing: [] },
      ...{ unnamed: [...unnamed], files: files.filter(({ state }) => state.type !== 'folder').length },
    };
    const withheld: { path: string; hash: string }[] = [];
    for (const [hash, files] of contentsIn(named)) {
      const bytes = read(hash, files[0] ?? '');
      const text = bytes && textOf(bytes);
      const isSecret =
        text !== null &&
        (change.text(text) !== text || files.some((file) => redaction?.isClosed(path.join(real, file))));
      if (bytes === null) result.missing.push(...files);
      else if (isSecret) withheld.push(...files.map((file) => ({ path: file, hash })));
      else
        result.objects.push({
          name: `objects/${hash}`,
          bytes: bytes.length,
          read: () => read(hash, files[0] ?? '') ?? Buffer.alloc(0),
        });
    }
    result.withheld = [...new Set(withheld.map(({ path: file }) => file))];
    result.missing = [...new Set(result.missing)];
    result.records = [
      ...(withheld.length > 0 ? [{ type: 'withheld' as const, files: withheld }] : []),
      ...named.map((record) => portableRecord(record, change)),
    ];
    return result;
  };
}

function portableRecord(record: UndoRecord, change: TextChange): UndoRecord {
  if (record.type === 'run') return mapValue(record, change);
  // The index and the branches have names that the session has nothing to do with.
  if (record.type === 'git' && record.state !== 'elsewhere') {
    const { head, commit } = record.state;
    return { ...record, state: change.text(head) === head ? { head, commit, index: null } : 'elsewhere' };
  }
  return record;
}

/** All contents that records refer to, with the files they belong to. */
function contentsIn(records: readonly UndoRecord[]): Map<string, string[]> {
  const contents = new Map<string, string[]>();
  const add = (file: string, hash: string | null | undefined) => {
    if (!hash) return;
    const files = contents.get(hash) ?? [];
    if (!files.includes(file)) files.push(file);
    contents.set(hash, files);
  };
  for (const record of records) {
    if (record.type === 'start') for (const { path: file, state } of record.files) add(file, state.hash);
    const changes =
      record.type === 'change' || record.type === 'accepted'
        ? [record]
        : 'changes' in record
          ? record.changes
          : [];
    for (const { path: file, before, after } of changes)
      for (const state of [before, after]) add(file, state?.hash);
  }
  return contents;
}

/** Text as a person would read it; other bytes one by one, so that a key in them is found. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

/** Only files with names that a bundle may contain: no links, no folders. */
function filesIn(folder: string, as: string): { name: string; bytes: Buffer }[] {
  const names = unlessErrno(['ENOENT', 'ENOTDIR'], [], () => readdirSync(folder).sort());
  return names.flatMap((name) => {
    const file = path.join(folder, name);
    const isKnown = isBundleName(`${as}/${name}`) && statIfAny(file)?.isFile();
    return isKnown ? [{ name: `${as}/${name}`, bytes: readRegularFile(file) }] : [];
  });
}

function redacted(journal: Buffer, change: TextChange): Buffer {
  const mapped = mapJournal(journal, change);
  const same: TextChange = { text: (text) => text, keepsSigned: true };
  return mapped.equals(journal) ? journal : mapJournal(mapped, same, endingEpochs);
}
