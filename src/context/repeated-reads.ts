import path from 'node:path';
import type { Message } from '../contract/message.ts';
import { doneCalls, READING, tableOf } from './known-tools.ts';

type Window = { file: string; offset: number; limit: number | null; pages: string | null };

/** Ids of reads that a later read repeats: the same file from the same line, and at least as far. */
export function repeatedReads(messages: readonly Message[]): Set<string> {
  const repeated = new Set<string>();
  /** Later reads, by file and first line. */
  const later = new Map<string, (number | null)[]>();
  for (const { call, answer } of doneCalls(messages).reverse()) {
    const window = answer.name === READING ? windowOf(call.input) : null;
    if (!window) continue;
    const { file, offset, limit, pages } = window;
    const key = JSON.stringify([file, offset, pages]);
    const ends = later.get(key) ?? [];
    if (ends.some((end) => covers(end, limit))) repeated.add(answer.callId);
    later.set(key, [...ends, limit]);
  }
  return repeated;
}

/** Null means as far as a read goes. */
function covers(end: number | null, wanted: number | null): boolean {
  return end === null || (wanted !== null && wanted <= end);
}

function windowOf(input: unknown): Window | null {
  const { file_path, offset, limit, pages } = tableOf(input);
  if (typeof file_path !== 'string') return null;
  return {
    file: path.normalize(file_path),
    offset: typeof offset === 'number' ? Math.max(1, offset) : 1,
    limit: typeof limit === 'number' ? limit : null,
    pages: typeof pages === 'string' ? pages : null,
  };
}
