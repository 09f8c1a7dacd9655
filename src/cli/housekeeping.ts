import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/schema.ts';
import { UserError } from '../contract/errors.ts';
import { makePrivateFolder } from '../lib/private-folder.ts';
import {
  forgetTraces,
  type HousekeepingOptions,
  planHousekeeping,
  type Removal,
} from '../session/housekeeping.ts';
import type { SessionStore } from '../session/store.ts';
import { statIfAny } from '../session/undo/standing.ts';
import { sizeText } from './size-text.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Its time is when the house was kept last. */
const MARKER = 'last-housekeeping';

type House = {
  root: string;
  store: SessionStore;
  config: Pick<Config, 'cleanupPeriodDays' | 'storageLimitMb'>;
};

export function housekeepingOptions({ root, store, config }: House): HousekeepingOptions {
  const limitBytes = config.storageLimitMb * 1024 * 1024;
  return { root, store, days: config.cleanupPeriodDays, limitBytes };
}

/**
 * Removes sessions that have had their time, unless that was done within a day. What the user should know, or null.
 * Contents kept for undo stay: conversations under way rely on them. `aca sessions clean` removes what nobody needs.
 */
export async function keepHouseDaily(house: House, now = Date.now()): Promise<string | null> {
  const { root, store } = house;
  const marker = path.join(root, MARKER);
  const last = statIfAny(marker);
  if (last && now - last.mtimeMs < DAY_MS) return null;
  makePrivateFolder(root);
  // Before the work: a second program that starts now has nothing to do.
  writeFileSync(marker, '', { mode: 0o600 });
  const removed: Removal[] = [];
  for (const removal of planHousekeeping({ ...housekeepingOptions(house), now })) {
    if (await isDeleted(removal.session.id, store)) {
      forgetTraces(root, removal.session.id);
      removed.push(removal);
    }
  }
  if (removed.length === 0) return null;
  const reasons = [...new Set(removed.map(({ because }) => because))].join('; ');
  const count = removed.length === 1 ? '1 session was' : `${removed.length} sessions were`;
  const bytes = removed.reduce((sum, { session }) => sum + session.bytes, 0);
  return `${count} removed (${reasons}; ${sizeText(bytes)}). \`aca sessions pin\` keeps one for good.`;
}

/** A session that is open somewhere stays. */
async function isDeleted(id: string, store: SessionStore): Promise<boolean> {
  try {
    await store.delete(id);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
