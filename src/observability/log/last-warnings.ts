import { closeSync, fstatSync, readSync } from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';
import { openRegularFile } from '../../lib/files/regular-file.ts';
import { parseObject } from '../../lib/text/json.ts';
import { logFileIn } from './log.ts';
import { type LogEntry, reaches } from './log-entry.ts';
import { filesOfLog } from './rotating-file.ts';

/** How much of the end of a file is searched. */
const LOOKED_THROUGH = 512 * 1024;

/** The last warnings and errors of all sessions, at most `count`, latest last. */
export async function lastWarnings(
  dataRoot: string,
  count: number,
  file = logFileIn(dataRoot),
): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (const name of filesOfLog(file).reverse()) {
    if (found.length >= count) break;
    const entries = endOf(name).split('\n').flatMap(parseEntry);
    found.unshift(...entries.filter(({ level }) => reaches(level, 'warn')));
  }
  return found.slice(-count);
}

/** The end of the file's text; empty without a file. */
function endOf(file: string): string {
  const descriptor = unlessErrno(['ENOENT', 'ENXIO'], null, () => openRegularFile(file));
  if (descriptor === null) return '';
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, LOOKED_THROUGH));
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(descriptor);
  }
}

/** Torn, truncated and foreign lines are skipped. */
function parseEntry(line: string): LogEntry[] {
  if (!line.startsWith('{')) return [];
  const entry = parseObject(line) as Partial<LogEntry> | undefined;
  const { timestamp, level, message, context } = entry ?? {};
  const isWhole = [timestamp, level, message].every((value) => typeof value === 'string') && context;
  // A line with all of these was written by `createLog`.
  return isWhole ? [entry as LogEntry] : [];
}
