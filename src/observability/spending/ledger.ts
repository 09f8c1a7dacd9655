import { closeSync, fstatSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Usage } from '../../contract/message.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { LockedError, lockFile } from '../../lib/files/lock.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { isRunning, type ProcessName, thisProcess } from '../../lib/files/process-identity.ts';
import { openRegularFile, openToAppend } from '../../lib/files/regular-file.ts';
import { parseObject } from '../../lib/text/json.ts';
import type { RunEntry } from '../run-tally.ts';

/** The owner of a call. `model` is provider/model; `account` is a named one; `helper` is a background job. */
export type CallOwner = {
  session: string;
  run: string;
  model: string;
  account?: string;
  purpose: 'main' | 'helper';
};

/** A completed call. `usd` is null if the price is unknown; `estimated` if the provider reported no usage. */
export type Entry = CallOwner & {
  id: string;
  at: string;
  usage: Usage;
  usd: number | null;
  estimated?: true;
  /** What an estimated call has cost at most: limits count this. */
  most?: Amounts;
};

/** The maximum of a running call; `sure` is its cost once it is sent. */
export type Hold = CallOwner & { id: string; at: string; most: Amounts; sure: Amounts };

export type Amounts = { usd: number; tokens: number };

type LedgerRecord =
  | ({ type: 'hold'; process: ProcessName } & Hold)
  | ({ type: 'spent' } & Entry)
  | ({ type: 'run' } & RunEntry)
  /** The call cost nothing. */
  | { type: 'release'; id: string };

/**
 * What was spent, what running calls may spend, and what calls of dead processes left unknown. `today` has
 * the calls of all sessions that count for this day; `session` those of one session, on any day.
 */
export type SpendingTotals = { today: Sums; session: Sums };

export type Sums = { spent: readonly Entry[]; held: readonly Hold[]; lost: readonly Hold[] };

const KEPT_DAYS = 100;
/** The lock is held only for reading and writing a few lines. */
const LOCK_WAIT_MS = 20_000;
/** For a call of another machine, whose process cannot be checked from here. */
const LONGEST_CALL_MS = 3_600_000;

/** One file per day, shared by all processes: a line for each call, and one before it if a limit applies. */
export class Ledger {
  readonly #folder: string;
  readonly #now: () => Date;
  readonly #process = thisProcess();
  readonly #files = new Map<string, DayFile>();
  /** Running calls of this process, with the day of the file that records them. */
  readonly #held = new Map<string, string>();
  #tidied = false;
  /** Serializes decisions within this process: the file lock only works between processes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Decides on the current totals: a reservation is written before another process can read. */
  decide<T>(session: string, judge: (totals: SpendingTotals) => { verdict: T; hold?: Hold }): Promise<T> {
    return this.#alone(() => {
      const today = this.#today();
      const { verdict, hold } = judge(this.#totals(session, today));
      if (hold) {
        this.#held.set(hold.id, today);
        this.#append(today, { type: 'hold', process: this.#process, ...hold });
      }
      return verdict;
    });
  }

  /** A line cut off by a crash does not affect others, so this needs no lock. */
  spend(entry: Entry): void {
    this.#end({ type: 'spent', ...entry });
  }

  note(run: RunEntry): void {
    this.#append(this.#today(), { type: 'run', ...run });
  }

  release(id: string): void {
    this.#end({ type: 'release', id });
  }

  totals(session: string): SpendingTotals {
    return this.#totals(session, this.#today());
  }

  /**
   * A call counts for the day it was reserved on, whenever it ends: it was judged by that day's remainder.
   */
  #end(record: Extract<LedgerRecord, { type: 'spent' | 'release' }>): void {
    const day = this.#held.get(record.id) ?? this.#today();
    this.#held.delete(record.id);
    this.#append(day, record);
  }

  #totals(session: string, today: string): SpendingTotals {
    const files = namesIn(this.#folder).map((name) => this.#read(name, name === today ? undefined : session));
    const sums = (files: readonly DayFile[], isCounted: (call: CallOwner) => boolean): Sums => {
      const holds = files.flatMap(({ held }) => [...held.values()].filter(isCounted));
      const held = holds.filter((hold) => this.#isUnderWay(hold));
      return {
        spent: files.flatMap(({ spent }) => [...spent.values()].filter(isCounted)),
        held,
        lost: holds.filter((hold) => !held.includes(hold)),
      };
    };
    return {
      today: sums(
        files.filter(({ name }) => name === today),
        () => true,
      ),
      session: sums(files, (call) => call.session === session),
    };
  }

  /** Everything since that day, today included. Read-only. */
  since(first: Date): { spent: Entry[]; runs: RunEntry[] } {
    const files = namesIn(this.#folder)
      .filter((name) => name >= dayOf(first))
      .map((name) => this.#read(name));
    return {
      spent: files.flatMap(({ spent }) => [...spent.values()]),
      runs: files.flatMap(({ runs }) => runs),
    };
  }

  #read(name: string, session?: string): DayFile {
    const key = session === undefined ? name : `${name} ${session}`;
    const file = this.#files.get(key) ?? new DayFile(fileOf(this.#folder, name), name, session);
    this.#files.set(key, file);
    file.readOn();
    return file;
  }

  #isUnderWay({ process, at }: Hold & { process: ProcessName }): boolean {
    const running = isRunning(process);
    return running === 'unknown' ? this.#now().getTime() - Date.parse(at) < LONGEST_CALL_MS : running;
  }

  #today(): string {
    return dayOf(this.#now());
  }

  #append(day: string, record: LedgerRecord): void {
    if (!this.#tidied) this.#tidy();
    appendLine(fileOf(this.#folder, day), record);
  }

  #tidy(): void {
    this.#tidied = true;
    makePrivateFolder(this.#folder);
    const oldest = dayOf(new Date(this.#now().getTime() - KEPT_DAYS * 86_400_000));
    for (const name of namesIn(this.#folder)) {
      if (name < oldest) rmSync(fileOf(this.#folder, name), { force: true });
    }
  }

  #alone<T>(work: () => T): Promise<T> {
    const result = this.#turn.then(async () => {
      const lock = await lockFile(this.#folder, { maxWaitMs: LOCK_WAIT_MS });
      if (!lock) throw new LockedError(this.#folder);
      try {
        return work();
      } finally {
        lock.release();
      }
    });
    // The next decision runs however this one ended.
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** One day's file, read incrementally. */
class DayFile {
  readonly name: string;
  readonly spent = new Map<string, Entry>();
  readonly held = new Map<string, Hold & { process: ProcessName }>();
  readonly runs: RunEntry[] = [];
  readonly #file: string;
  readonly #session: string | undefined;
  #position = 0;

  /**
   * With a session, only its lines are kept: months of other sessions' calls must not slow down a decision.
   */
  constructor(file: string, name: string, session?: string) {
    this.name = name;
    this.#file = file;
    this.#session = session === undefined ? undefined : JSON.stringify(session);
  }

  /** Synchronous, so that reads cannot overlap: each line is processed exactly once. */
  readOn(): void {
    const bytes = readFrom(this.#file, this.#position);
    // An incomplete line is read the next time.
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#position += end;
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (this.#isWanted(line)) this.#take(parseRecord(line));
    }
  }

  /** A release does not name the session of its call. */
  #isWanted(line: string): boolean {
    return this.#session === undefined || line.includes(this.#session) || line.includes('"release"');
  }

  #take(record: LedgerRecord | null): void {
    if (record?.type === 'hold') this.held.set(record.id, record);
    else if (record) this.held.delete(record.id);
    if (record?.type === 'spent') this.spent.set(record.id, record);
    if (record?.type === 'run') this.runs.push(record);
  }
}

function fileOf(folder: string, name: string): string {
  return path.join(folder, `${name}.jsonl`);
}

/** Synchronous: awaiting five operations would cost more than the few bytes. */
function appendLine(file: string, record: LedgerRecord): void {
  const descriptor = openToAppend(file);
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1, '\n');
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
    // One write, so that lines of several processes don't mix; terminates a torn line before it.
    const torn = last[0] === 0x0a ? '' : '\n';
    writeFileSync(descriptor, `${torn}${JSON.stringify(record)}\n`);
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes from this position on; empty if the file does not exist. */
function readFrom(file: string, position: number): Buffer {
  const descriptor = unlessErrno(['ENOENT'], null, () => openRegularFile(file));
  if (descriptor === null) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - position));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, position));
  } finally {
    closeSync(descriptor);
  }
}

function parseRecord(line: string): LedgerRecord | null {
  // Written only by this program; a line of complete JSON is a complete record.
  return line.startsWith('{') ? ((parseObject(line) as LedgerRecord | undefined) ?? null) : null;
}

/** In the user's time zone, not UTC. */
export function dayOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT'], [], () =>
    readdirSync(folder).flatMap((name) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1] ?? []),
  );
}
