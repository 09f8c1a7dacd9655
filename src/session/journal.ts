import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
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

/**
 * An append-only file, made at the first record. A record is a short line, written at once: handing it to another
 * thread and back would take longer than the write, and the loop waits for it anyway.
 */
export class Journal {
  readonly file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** Rejects when the disk does; the next record is tried all the same. */
  async append(record: JournalRecord): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    this.#descriptor ??= openForAppend(this.file);
    try {
      if (writeSync(this.#descriptor, line) < line.length)
        throw new Error('the disk took only a part of the line');
    } catch (error) {
      // Opened anew, the file has the torn line closed before anything follows it.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** A line torn by a crash is closed first, so that it spoils no record but itself. */
function openForAppend(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, 'a+', 0o600);
  const { size } = fstatSync(descriptor);
  if (size > 0) {
    const last = Buffer.alloc(1);
    readSync(descriptor, last, 0, 1, size - 1);
    if (last.toString() !== '\n') writeSync(descriptor, '\n');
  }
  return descriptor;
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
