import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { importedSession } from '../../contract/provenance.ts';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { isObject } from '../../lib/text/json.ts';
import { forgetTraces } from '../housekeeping.ts';
import { requireKnownVersion } from '../journal-version.ts';
import { parseJournal } from '../parse.ts';
import { fold } from '../records.ts';
import { type SessionPlace, sessionPlace } from '../session-place.ts';
import { Objects } from '../undo/objects.ts';
import { foldHistory, type UndoRecord } from '../undo/undo-log.ts';
import { type BundleHeader, type Content, notABundle, type UnpackLimits, unpack } from './container.ts';
import { endingEpochs, mapJournal } from './map-texts.ts';
import { type PlacedFiles, placeFiles } from './place-files.ts';
import { mapStates, undoBytes, undoRecordsAt } from './portable-undo.ts';
import { movedTarget, rerooting } from './reroot.ts';

export type ImportOptions = {
  dataRoot: string;
  /** The folder of the session files. */
  sessions: string;
  /** The folder that becomes the session's working directory. */
  at: string;
  limits: UnpackLimits;
  /** Bring files into the state in which the session left them even if the folder is not empty. */
  files?: boolean;
};

export type Imported = {
  id: string;
  header: BundleHeader;
  /** Files whose saved content was left out of the bundle. */
  withheld: string[];
  /** Null if the folder was left as it is. */
  files: PlacedFiles | null;
};

/**
 * Makes a session of a bundle, under its own id if that is free. The bundle is read twice: nothing is written before all of
 * it was checked, and the session appears only when everything else is in place.
 */
export async function importBundle(file: string, options: ImportOptions): Promise<Imported> {
  const { dataRoot, sessions, limits } = options;
  const at = realpathSync(options.at);
  const checked = await checkBundle(file, limits, at);
  const { header } = checked;
  const placesFiles = options.files || readdirSync(at).length === 0;
  const id = freeId(header.session, sessions);
  const place = sessionPlace({ dataRoot, sessions, id, cwd: at });
  let undo: UndoRecord[];
  try {
    undo = await writeAll(file, { ...checked, place, at, limits });
  } catch (error) {
    rmSync(place.subagents, { recursive: true, force: true });
    forgetTraces(dataRoot, id);
    throw error;
  }
  const withheld = foldHistory(undo).withheld;
  const objects = new Objects(path.join(place.undoFolder, 'objects'), { withheld: () => withheld });
  const files = placesFiles ? await placeFiles(undo, objects) : null;
  return { id, header, withheld: withheldIn(undo), files };
}

function freeId(id: string, sessions: string): string {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  return isUuid && !existsSync(path.join(sessions, `${id}.jsonl`)) ? id : randomUUID();
}

type Checked = { header: BundleHeader; undo: UndoRecord[] };

async function checkBundle(file: string, limits: UnpackLimits, at: string): Promise<Checked> {
  let checked: Checked | undefined;
  let hasSession = false;
  for await (const { header, content } of unpack(file, limits)) {
    checked ??= { header, undo: [] };
    if (content?.name === 'session.jsonl') {
      requireKnownVersion(content.bytes, header.session);
      if (!fold(parseJournal(content.bytes).records, header.session))
        throw notABundle(file, 'it contains no conversation');
      hasSession = true;
    }
    if (content?.name === 'undo.jsonl') checked.undo = undoRecords(file, content, at);
  }
  if (!checked || !hasSession) throw notABundle(file, 'it contains no session');
  return checked;
}

function undoRecords(file: string, { bytes }: Content, at: string): UndoRecord[] {
  try {
    return undoRecordsAt(bytes, at);
  } catch (error) {
    throw notABundle(file, (error as Error).message);
  }
}

type Writing = Checked & { place: SessionPlace; at: string; limits: UnpackLimits };

/** Resolves with the undo log as it was written. */
async function writeAll(file: string, { header, undo, place, at, limits }: Writing): Promise<UndoRecord[]> {
  const objects = new Objects(path.join(place.undoFolder, 'objects'));
  const move = { from: header.workingDirectory, to: at };
  const text = rerooting([move, { from: header.outputs, to: place.outputs }]);
  const targets = linkTargets(undo);
  const movedLinks = new Map<string, string>();
  const moved = (journal: Buffer, id?: string) =>
    mapJournal(journal, { text, keepsSigned: true }, (record) =>
      record.type === 'header' && id !== undefined && record.id !== id
        ? { ...record, id }
        : withoutRemotes(withoutChoices(move.from === move.to ? record : endingEpochs(record))),
    );
  let journal: Buffer | undefined;
  for await (const { content } of unpack(file, limits)) {
    if (!content) continue;
    const { name, bytes } = content;
    const [kind = '', inner = ''] = name.split('/');
    if (kind === 'session.jsonl') journal = moved(bytes, place.id);
    else if (kind === 'objects') {
      objects.put(bytes);
      const target = targets.has(inner) ? movedTarget(bytes, move) : null;
      if (target) movedLinks.set(inner, objects.put(target));
    } else if (kind === 'subagents')
      await writeAtomic(path.join(place.subagents, inner), moved(bytes), 0o600);
    else if (kind === 'outputs') await writeAtomic(path.join(place.outputs, inner), bytes, 0o600);
  }
  objects.flush({ durable: true });
  objects.close();
  const log = path.join(place.undoFolder, `${place.id}.jsonl`);
  const written = undo.map((record) =>
    mapStates(record, (state) => {
      const hash = state.type === 'link' ? movedLinks.get(state.hash ?? '') : undefined;
      return hash === undefined ? state : { ...state, hash };
    }),
  );
  if (written.length > 0) await writeAtomic(log, undoBytes(written), 0o600);
  // It was there when the bundle was checked.
  if (!journal) throw new UserError(`${file} changed while it was imported.`, 'Import it again.');
  const messages = fold(parseJournal(journal).records, place.id)?.session.messages.length ?? 0;
  const source = { type: 'source' as const, source: importedSession(messages) };
  await writeAtomic(
    place.journal,
    Buffer.concat([journal, Buffer.from(`${JSON.stringify(source)}\n`)]),
    0o600,
  );
  return written;
}

/** The hashes of what links contain. */
function linkTargets(undo: readonly UndoRecord[]): Set<string> {
  const hashes = new Set<string>();
  for (const record of undo)
    mapStates(record, (state) => {
      if (state.type === 'link' && state.hash !== null) hashes.add(state.hash);
      return state;
    });
  return hashes;
}

/** The remotes of another machine's repository are not known to be the user's. */
function withoutRemotes(record: Record<string, unknown>): Record<string, unknown> {
  if (record.type !== 'source' || !isObject(record.source)) return record;
  const { remotes: _, ...source } = record.source;
  return { ...record, source };
}

/** A mode that changes files without asking was not chosen here. */
function withoutChoices(record: Record<string, unknown>): Record<string, unknown> {
  return record.type === 'choices' ? { ...record, choices: {} } : record;
}

function withheldIn(undo: readonly UndoRecord[]): string[] {
  const files = undo.flatMap((record) => (record.type === 'withheld' ? record.files : []));
  return [...new Set(files.map((file) => file.path))];
}
