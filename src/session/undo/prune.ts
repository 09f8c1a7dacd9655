import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Objects, packsIn, placesIn } from './objects.ts';
import { type Change, statIfAny } from './standing.ts';
import { readHistory } from './undo-log.ts';

/** A pack nobody has written to for this long is not being written to. */
const QUIET_MS = 60 * 60 * 1000;
const COMMAND_MS = 24 * 60 * 60 * 1000;

/**
 * Removes contents that no kept session's log needs. Packs that are mostly needed stay as they are. Tree indexes go
 * with what they promise: the next look at a folder reads its files again. Returns the bytes set free.
 */
export function pruneUndo(folder: string, { now = Date.now() }: { now?: number } = {}): number {
  const objects = path.join(folder, 'objects');
  // What stood there before a command is in a log only when the command has ended.
  if (isCommandUnderWay(folder, now)) return 0;
  const needed = hashesNeeded(folder);
  const places = placesIn(objects);
  let freed = 0;
  for (const pack of packsIn(objects)) {
    const files = ['pack', 'index'].map((kind) => path.join(objects, `${pack}.${kind}`));
    const stats = files.map((file) => statIfAny(file));
    if (stats.some((stat) => stat === null || now - stat.mtimeMs < QUIET_MS)) continue;
    const size = stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0);
    const live = [...places].filter(([hash, place]) => place.pack === pack && needed.has(hash));
    const liveBytes = live.reduce((sum, [, place]) => sum + place.length, 0);
    if (liveBytes > size / 2) continue;
    move(
      objects,
      live.map(([hash]) => hash),
    );
    for (const file of files) rmSync(file, { force: true });
    freed += size - liveBytes;
  }
  if (freed > 0) rmSync(path.join(folder, 'trees'), { recursive: true, force: true });
  return freed;
}

/** What is still needed of a pack goes to a new one. */
function move(folder: string, hashes: readonly string[]): void {
  const from = new Objects(folder);
  const contents = hashes.flatMap((hash) => from.get(hash) ?? []);
  const to = new Objects(folder, { anew: true });
  for (const bytes of contents) to.put(bytes);
  to.flush({ durable: true });
  to.close();
}

/** One that has not ended within a day was cut off by a crash. */
function isCommandUnderWay(folder: string, now: number): boolean {
  return logsIn(folder).some((name) => {
    const file = path.join(folder, name);
    return now - statSync(file).mtimeMs < COMMAND_MS && readHistory(file).commandOpen;
  });
}

function hashesNeeded(folder: string): Set<string> {
  const hashes = new Set<string>();
  const need = (changes: readonly Change[]) => {
    for (const { before, after } of changes)
      for (const standing of [before, after]) if (standing?.hash) hashes.add(standing.hash);
  };
  for (const name of logsIn(folder)) {
    const { runs, undone } = readHistory(path.join(folder, name));
    for (const { changes } of [...runs, ...undone]) need(changes);
  }
  return hashes;
}

function logsIn(folder: string): string[] {
  if (!statIfAny(folder)) return [];
  return readdirSync(folder).filter(
    (name) => name.endsWith('.jsonl') && statSync(path.join(folder, name)).isFile(),
  );
}
