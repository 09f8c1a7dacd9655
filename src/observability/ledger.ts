import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../contract/message.ts';
import { type Lock, lockFile } from '../lib/lock.ts';
import { isRunning, type ProcessName, thisProcess } from '../lib/running.ts';
import type { RunEntry } from './run-tally.ts';

/** Whose call it is. `model` is provider/model; a `helper` did a side job. */
export type CallOwner = { session: string; run: string; model: string; purpose: 'main' | 'helper' };

/** A call that was made. `usd` is null where the price is unknown; `estimated` where the vendor gave no figures. */
export type Entry = CallOwner & {
  id: string;
  at: string;
  usage: Usage;
  usd: number | null;
  estimated?: true;
};

/** What a call under way may come to at most; `sure` is what it costs once it is sent. */
export type Hold = CallOwner & { id: string; at: string; most: Amounts; sure: Amounts };

export type Amounts = { usd: number; tokens: number };

type LedgerRecord =
  | ({ type: 'hold'; process: ProcessName } & Hold)
  | ({ type: 'spent' } & Entry)
  | ({ type: 'run' } & RunEntry)
  /** The call came to nothing. */
  | { type: 'release'; id: string };

/** What was spent, what may be spent by calls under way, and what calls of processes that died left unsaid. */
export type Books = { spent: readonly Entry[]; held: readonly Hold[]; lost: readonly Hold[] };

const KEPT_DAYS = 100;
/** Nobody holds the lock for longer than it takes to read and write a few lines. */
const LOCK_WAIT_MS = 20_000;
/** A call of another machine, of which nobody here can say whether it still runs. */
const LONGEST_CALL_MS = 3_600_000;

/** One file a day, shared by all processes: a line for each call, and one before it where a limit must hold. */
export class Ledger {
  readonly #folder: string;
  readonly #now: () => Date;
  readonly #process = thisProcess();
  #day: Day | undefined;
  #tidied = false;
  /** Calls of this process, one after another: a lock does not tell its own process apart. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Decides on the books as they are: what is to be held is written before another process can look. */
  decide<T>(judge: (books: Books) => { verdict: T; hold?: Hold }): Promise<T> {
    return this.#alone(async (day) => {
      await day.refresh();
      const { verdict, hold } = judge(this.#books(day));
      if (hold) day.append({ type: 'hold', process: this.#process, ...hold });
      return verdict;
    });
  }

  /** A line that is cut short by a crash costs no other line, so that this needs no lock. */
  spend(entry: Entry): void {
    this.#today().append({ type: 'spent', ...entry });
  }

  note(run: RunEntry): void {
    this.#today().append({ type: 'run', ...run });
  }

  release(id: string): void {
    this.#today().append({ type: 'release', id });
  }

  async today(): Promise<Books> {
    const day = this.#today();
    await day.refresh();
    return this.#books(day);
  }

  /** What was spent from that day to yesterday. */
  async before(since: Date): Promise<Entry[]> {
    const today = dayOf(this.#now());
    const days = await this.#days((name) => name >= dayOf(since) && name < today);
    return days.flatMap(({ spent }) => [...spent.values()]);
  }

  /** All that is known from that day on, today included. Nothing is written. */
  async since(first: Date): Promise<{ spent: Entry[]; runs: RunEntry[] }> {
    const days = await this.#days((name) => name >= dayOf(first));
    return {
      spent: days.flatMap(({ spent }) => [...spent.values()]),
      runs: days.flatMap(({ runs }) => runs),
    };
  }

  async #days(isWanted: (name: string) => boolean): Promise<Day[]> {
    const names = namesIn(this.#folder).filter(isWanted).sort();
    const days = names.map((name) => new Day(path.join(this.#folder, `${name}.jsonl`)));
    await Promise.all(days.map((day) => day.refresh()));
    return days;
  }

  #books(day: Day): Books {
    const holds = [...day.held.values()];
    const under = holds.filter((hold) => this.#isUnderWay(hold));
    return {
      spent: [...day.spent.values()],
      held: under,
      lost: holds.filter((hold) => !under.includes(hold)),
    };
  }

  #isUnderWay({ process, at }: Hold & { process: ProcessName }): boolean {
    const running = isRunning(process);
    return running === 'unknown' ? this.#now().getTime() - Date.parse(at) < LONGEST_CALL_MS : running;
  }

  #today(): Day {
    const file = path.join(this.#folder, `${dayOf(this.#now())}.jsonl`);
    if (this.#day?.file !== file) this.#day = new Day(file);
    if (!this.#tidied) this.#tidy();
    return this.#day;
  }

  #tidy(): void {
    this.#tidied = true;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const oldest = dayOf(new Date(this.#now().getTime() - KEPT_DAYS * 86_400_000));
    for (const name of namesIn(this.#folder)) {
      if (name < oldest) rmSync(path.join(this.#folder, `${name}.jsonl`), { force: true });
    }
  }

  #alone<T>(work: (day: Day) => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      const day = this.#today();
      const lock = await this.#lock();
      try {
        return await work(day);
      } finally {
        await lock.release();
      }
    });
    // The next one's turn comes however this one ended.
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #lock(): Promise<Lock> {
    const until = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      const lock = await lockFile(this.#folder);
      if (lock) return lock;
      if (performance.now() > until) throw new Error(`another process holds ${this.#folder}`);
      await sleep(2 + Math.random() * 8);
    }
  }
}

/** One day's file, read on from where it was read to. */
class Day {
  readonly file: string;
  readonly spent = new Map<string, Entry>();
  readonly held = new Map<string, Hold & { process: ProcessName }>();
  readonly runs: RunEntry[] = [];
  #read = 0;

  constructor(file: string) {
    this.file = file;
  }

  async refresh(): Promise<void> {
    const handle = await openIfAny(this.file);
    if (!handle) return;
    try {
      const { size } = await handle.stat();
      const bytes = Buffer.alloc(Math.max(0, size - this.#read));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#read);
      // A line still being written is read the next time.
      const end = bytes.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      this.#read += end;
      for (const line of bytes.toString('utf8', 0, end).split('\n')) this.#take(parseRecord(line));
    } finally {
      await handle.close();
    }
  }

  /** At once: five waits for a few bytes would cost more than the bytes do. */
  append(record: LedgerRecord): void {
    const descriptor = openSync(this.file, 'a+', 0o600);
    try {
      const { size } = fstatSync(descriptor);
      const last = Buffer.alloc(1, '\n');
      if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
      // One write, so that lines of several processes do not mix; a torn line before it is closed.
      const torn = last[0] === 0x0a ? '' : '\n';
      writeFileSync(descriptor, `${torn}${JSON.stringify(record)}\n`);
    } finally {
      closeSync(descriptor);
    }
  }

  #take(record: LedgerRecord | null): void {
    if (record?.type === 'hold') this.held.set(record.id, record);
    else if (record) this.held.delete(record.id);
    if (record?.type === 'spent') this.spent.set(record.id, record);
    if (record?.type === 'run') this.runs.push(record);
  }
}

function parseRecord(line: string): LedgerRecord | null {
  if (!line.startsWith('{')) return null;
  try {
    // Written by this program alone; a line that is whole JSON is a whole record.
    return JSON.parse(line) as LedgerRecord;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The user's day, not Greenwich's. */
export function dayOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => /^(\d{4}-\d\d-\d\d)\.jsonl$/.exec(name)?.[1] ?? []);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

async function openIfAny(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}
