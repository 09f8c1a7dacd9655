import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { AgentEvent } from '../../contract/event.ts';
import { type LogEntry, type LogLevel, type LogLine, reaches } from './log-entry.ts';
import { logLineOf } from './log-lines.ts';
import { RotatingFile } from './rotating-file.ts';

export type LogOptions = {
  file: string;
  /** What is less than this is not written. */
  level: LogLevel | 'off';
  sessionId: string;
  /** Takes secrets out of all texts of a value before it is written. */
  redact<T>(value: T): T;
  /** Told once, when the log cannot be written. The run goes on. */
  onTrouble(message: string): void;
  now?: () => Date;
  /** Bytes past which a new file is begun. */
  maxBytes?: number;
};

/** Of one operation; without them a line stands for itself. */
type LogIds = { traceId: string; spanId: string };

export type Log = {
  /** Writes what there is to say of an event. */
  take(event: AgentEvent, ids: LogIds): void;
  write(line: LogLine, ids?: LogIds): void;
};

const LONGEST_TEXT = 2000;

/** Where the log is, unless a setting says otherwise. */
export function logFileIn(dataRoot: string): string {
  return path.join(dataRoot, 'logs', 'aca.jsonl');
}

/**
 * JSON lines, each handed to the system before the next thing happens: a crash loses none. Nothing is made or opened
 * before the first line that is to be written.
 */
export function createLog(options: LogOptions): Log {
  const { file, level, sessionId, redact, onTrouble, now = () => new Date(), maxBytes } = options;
  const lines = new RotatingFile(file, maxBytes);
  let troubled = false;
  let writing = false;

  function write(
    line: LogLine,
    { traceId, spanId }: LogIds = { traceId: randomUUID(), spanId: randomUUID() },
  ) {
    // Trouble with the log is told as an event: it must not be written to the log.
    if (writing || !reaches(line.level, level)) return;
    writing = true;
    try {
      const { toolName } = line;
      const { message, metadata } = redact({ message: cut(line.message), metadata: cutAll(line.metadata) });
      const entry: LogEntry = {
        timestamp: now().toISOString(),
        level: line.level,
        message,
        context: { sessionId, ...(toolName !== undefined && { toolName }), traceId, spanId },
        metadata,
      };
      lines.append(JSON.stringify(entry));
    } catch (error) {
      if (!troubled) onTrouble(`The log cannot be written (${(error as Error).message}). The run goes on.`);
      troubled = true;
    } finally {
      writing = false;
    }
  }

  return {
    take(event, ids) {
      const line = logLineOf(event);
      if (line) write(line, ids);
    },
    write,
  };
}

function cutAll(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]),
  );
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters in all)`;
}
