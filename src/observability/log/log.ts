import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { AgentEvent } from '../../contract/event.ts';
import { type LogEntry, type LogLevel, type LogLine, reaches } from './log-entry.ts';
import { logLineOf } from './log-lines.ts';
import { RotatingFile } from './rotating-file.ts';

export type LogOptions = {
  file: string;
  /** Lower levels are not written. */
  level: LogLevel | 'off';
  sessionId: string;
  /** Redacts secrets in all strings of a value before it is written. */
  redact<T>(value: T): T;
  /** Called once if the log cannot be written. The run continues. */
  onTrouble(message: string): void;
  now?: () => Date;
  /** Size in bytes at which a new file is started. */
  maxBytes?: number;
};

/** Ids of one operation; without them a line gets its own. */
type LogIds = { traceId: string; spanId: string };

export type Log = {
  /** Writes the log line of an event, if any. */
  take(event: AgentEvent, ids: LogIds): void;
  write(line: LogLine, ids?: LogIds): void;
};

const LONGEST_TEXT = 2000;

/** The default location of the log. */
export function logFileIn(dataRoot: string): string {
  return path.join(dataRoot, 'logs', 'aca.jsonl');
}

/**
 * JSON lines, each passed to the OS synchronously, so that a crash loses none. Nothing is created or opened
 * before the first line.
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
    // Log failures are reported as events, which must not be written to the log again.
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
      if (!troubled) onTrouble(`Cannot write the log (${(error as Error).message}). The run continues.`);
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
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters in total)`;
}
