import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { Message, ToolMessage } from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import type { Session, SessionSettings } from '../contract/session.ts';

/** One line of a session's file. Kinds this version does not know are kept and passed over. */
export type JournalRecord =
  | ({ type: 'header'; version: 1; settings: SessionSettings } & Pick<
      Session,
      'id' | 'workingDirectory' | 'startedAt'
    >)
  | { type: 'message'; message: Message }
  | { type: 'call_started'; callId: string }
  | { type: 'call_answered'; message: ToolMessage }
  | { type: 'grant'; permission: Permission };

/** An append-only file, made at the first record. Records are written in the order they were given. */
export class Journal {
  readonly file: string;
  #handle: Promise<FileHandle> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  append(record: JournalRecord): Promise<void> {
    const line = `${JSON.stringify(record)}\n`;
    const written = this.#last.then(async () => {
      await (await this.#open()).appendFile(line);
    });
    // A failed write is the caller's to report; the next record is tried all the same.
    this.#last = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#last;
    const handle = await this.#handle?.catch(() => undefined);
    this.#handle = undefined;
    await handle?.close();
  }

  #open(): Promise<FileHandle> {
    if (!this.#handle) {
      mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
      this.#handle = openForAppend(this.file);
      // A failed open must be tried again by the next record, not remembered.
      this.#handle.catch(() => {
        this.#handle = undefined;
      });
    }
    return this.#handle;
  }
}

/** A line torn by a crash is closed first, so that it spoils no record but itself. */
async function openForAppend(file: string): Promise<FileHandle> {
  const handle = await open(file, 'a+', 0o600);
  const { size } = await handle.stat();
  if (size > 0) {
    const last = Buffer.alloc(1);
    await handle.read(last, 0, 1, size - 1);
    if (last.toString() !== '\n') await handle.appendFile('\n');
  }
  return handle;
}

/** The records of a journal's text. A torn last line, the mark of a crash, is passed over. */
export function parseJournal(text: string): { records: JournalRecord[]; damaged: number } {
  const records: JournalRecord[] = [];
  let damaged = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const record = parseRecord(line);
    if (record) records.push(record);
    else damaged++;
  }
  return { records, damaged };
}

function parseRecord(line: string): JournalRecord | null {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null && 'type' in record
      ? (record as JournalRecord)
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
