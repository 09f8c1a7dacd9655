import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { pruneCompileCache } from '../../lib/compile-cache.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { updateFile, type Write } from '../../lib/files/file-update.ts';
import { counted } from '../../lib/text/counted.ts';
import { parseJson } from '../../lib/text/json.ts';
import {
  forgetTraces,
  type HousekeepingOptions,
  planHousekeeping,
  type Removal,
  tidy,
} from '../../session/housekeeping.ts';
import type { SessionStore } from '../../session/store.ts';
import { statIfAny } from '../../session/undo/file-state.ts';
import { sizeText } from './size-text.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NAMED = 5;

/** Its mtime is the last run; its content says when the removal of which session was announced. */
const MARKER = 'last-housekeeping';
const markerSchema = z.object({ announced: z.record(z.string(), z.number()) });
type Announced = Record<string, number>;

type House = {
  root: string;
  store: SessionStore;
  config: Pick<Config, 'cleanupPeriodDays' | 'storageLimitMb' | 'undoLimitMb'>;
};

export function housekeepingOptions({ root, store, config }: House): HousekeepingOptions {
  const [limitBytes, undoLimitBytes] = [config.storageLimitMb, config.undoLimitMb].map(
    (mb) => mb * 1024 * 1024,
  );
  return {
    root,
    store,
    days: config.cleanupPeriodDays,
    limitBytes: limitBytes ?? Infinity,
    undoLimitBytes: undoLimitBytes ?? Infinity,
  };
}

/**
 * Removes expired sessions whose removal was announced a day ago, and announces the next ones, at most once a
 * day. Also removes undo data that is no longer needed. Resolves with messages for the user.
 */
export async function dailyHousekeeping(house: House, now = Date.now()): Promise<string[]> {
  const { root, store } = house;
  const options = { ...housekeepingOptions(house), now };
  if (isDone(root, now)) return [];
  const turn = await updateFile(path.join(root, MARKER), (write) => takeTurn(options, write));
  if (!turn) return [];
  const { due, next, announced } = turn;
  const removed: Removal[] = [];
  for (const removal of due) {
    if (await isDeleted(removal.session.id, store)) {
      forgetTraces(root, removal.session.id);
      removed.push(removal);
    }
  }
  await tidy(options);
  pruneCompileCache(root, now);
  return [
    removedText(removed),
    nextText(next.filter(({ session: { id } }) => announced[id] === undefined)),
  ].filter((text) => text !== null);
}

type Turn = { due: Removal[]; next: Removal[]; announced: Announced };

/** What to remove and announce today; null when another process has already done it. */
async function takeTurn(options: HousekeepingOptions & { now: number }, write: Write): Promise<Turn | null> {
  const { root, now } = options;
  if (isDone(root, now)) return null;
  const announced = announcedIn(path.join(root, MARKER));
  const plan = planHousekeeping(options);
  const due = plan.filter(({ session: { id } }) => now - (announced[id] ?? now) >= DAY_MS);
  const next = plan.filter((removal) => !due.includes(removal));
  const told = Object.fromEntries(
    next.map(({ session: { id } }) => [id, Math.min(announced[id] ?? now, now)]),
  );
  await write(JSON.stringify({ announced: told }));
  return { due, next, announced };
}

function isDone(root: string, now: number): boolean {
  const last = statIfAny(path.join(root, MARKER));
  return last !== null && Math.abs(now - last.mtimeMs) < DAY_MS;
}

function removedText(removed: readonly Removal[]): string | null {
  if (removed.length === 0) return null;
  const count = removed.length === 1 ? '1 session was' : `${removed.length} sessions were`;
  const bytes = removed.reduce((sum, { session }) => sum + session.bytes, 0);
  return `${count} removed (${reasonsOf(removed)}; ${sizeText(bytes)}). Run \`aca sessions pin ID\` to keep one.`;
}

function nextText(next: readonly Removal[]): string | null {
  if (next.length === 0) return null;
  const count = counted(next.length, 'session');
  const names = next
    .slice(0, NAMED)
    .map(({ session }) => `${session.id.slice(0, 8)} ${nameOf(session)}`.trim());
  const more = next.length > NAMED ? [`${next.length - NAMED} more`] : [];
  return (
    `${count} will be removed tomorrow or later (${reasonsOf(next)}): ${[...names, ...more].join(', ')}. ` +
    'Run `aca sessions pin ID` to keep one, or `aca sessions clean --dry-run` to list them.'
  );
}

function nameOf({ title, firstPrompt }: Removal['session']): string {
  const [line = ''] = (title ?? firstPrompt ?? '').split('\n');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

function reasonsOf(removals: readonly Removal[]): string {
  return [...new Set(removals.map(({ because }) => because))].join('; ');
}

/** With an unreadable marker, removals are announced again. */
function announcedIn(marker: string): Announced {
  const text = unlessErrno('any', '', () => readFileSync(marker, 'utf8'));
  return markerSchema.safeParse(parseJson(text)).data?.announced ?? {};
}

/** False for a session that is open somewhere. */
async function isDeleted(id: string, store: SessionStore): Promise<boolean> {
  try {
    await store.delete(id);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
