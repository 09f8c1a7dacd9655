import { breathing } from '../../lib/async/breathing.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { parseObject } from '../../lib/text/json.ts';
import { filesOfLog } from '../log/rotating-file.ts';
import { ChainedLog } from './chained-log.ts';

/** Something that happened at the server: a sign-in, a refused request, a connection, a prompt, an approval. */
export type AccessEntry = {
  /** Such as `signed in`, `refused`, `connected`, `prompted`, `approved`. */
  event: string;
  by?: { id: string; name: string; role: string };
  /** The network address it came from. */
  address?: string;
  session?: string;
  /** Why something was refused, or what exactly was done. */
  detail?: string;
};

export type AccessRecord = AccessEntry & { type: 'access'; time: string };

export type AccessLog = {
  write(entry: AccessEntry): void;
  /**
   * For what somebody can cause any number of times: beyond a limit, only the number is written. Each participant has a
   * limit, and all others share one, so that nobody can hide what someone else does.
   */
  writeLimited(entry: AccessEntry): void;
  /** Writes what is still only counted. */
  close(): void;
};

const LONGEST_DETAIL = 2_000;
const LONGEST_LIMITED_DETAIL = 200;
/** Entries at once, then one per minute: half a megabyte in a day of attacks. */
const BURST = 60;
const REFILL_MS = 60_000;
const SUMMARY_MS = 10 * 60_000;

/** Writes accesses to the audit log, chained like its other entries. Without a file, writes nothing. */
export function createAccessLog(options: {
  file: string | null;
  onTrouble(message: string): void;
  now?: () => Date;
}): AccessLog {
  const { file, onTrouble, now = () => new Date() } = options;
  const log = file === null ? null : new ChainedLog(file);
  let troubled = false;
  const limits = new Map<string, Limit>();
  let uncounted = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;

  function write(entry: AccessEntry, longest = LONGEST_DETAIL): void {
    const detail = entry.detail === undefined ? {} : { detail: cut(entry.detail, longest) };
    try {
      log?.append({ type: 'access', time: now().toISOString(), ...entry, ...detail } satisfies AccessRecord);
    } catch (error) {
      if (!troubled)
        onTrouble(`Cannot write the audit log (${(error as Error).message}). The server continues.`);
      troubled = true;
    }
  }

  function summarize(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (uncounted.size === 0) return;
    const detail = [...uncounted].map(([event, count]) => `${event}: ${count} more`).join('; ');
    uncounted = new Map();
    write({ event: 'not logged one by one', detail });
  }

  return {
    write,
    writeLimited(entry) {
      const who = entry.by?.id ?? 'others';
      const limit = limits.get(who) ?? { left: BURST, refilledAt: now().getTime() };
      limits.set(who, limit);
      if (takeFrom(limit, now().getTime())) {
        write(entry, LONGEST_LIMITED_DETAIL);
        return;
      }
      const what = entry.by ? `${entry.event} (${entry.by.name})` : entry.event;
      uncounted.set(what, (uncounted.get(what) ?? 0) + 1);
      timer ??= setTimeout(summarize, SUMMARY_MS).unref();
    },
    close: summarize,
  };
}

type Limit = { left: number; refilledAt: number };

function takeFrom(limit: Limit, now: number): boolean {
  const refill = Math.floor((now - limit.refilledAt) / REFILL_MS);
  limit.left = Math.min(BURST, limit.left + refill);
  limit.refilledAt += refill * REFILL_MS;
  if (limit.left === 0) return false;
  limit.left -= 1;
  return true;
}

/** Oldest first. */
export async function readAccesses(
  file: string,
  { session, tail }: { session?: string; tail: number },
): Promise<AccessRecord[]> {
  const found: AccessRecord[] = [];
  const breathe = breathing();
  for (const name of filesOfLog(file)) {
    for (const line of ((await readTextIfAny(name)) ?? '').split('\n')) {
      await breathe();
      const {
        seq: _,
        prev: _before,
        hash: _own,
        torn: _torn,
        headless: _less,
        ...record
      } = parseObject(line) ?? {};
      if (record.type !== 'access') continue;
      // Written only by this program.
      const access = record as AccessRecord;
      if (session === undefined || access.session?.startsWith(session)) found.push(access);
    }
  }
  return found.slice(-tail);
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters in total)`;
}
