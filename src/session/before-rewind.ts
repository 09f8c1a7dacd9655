import path from 'node:path';
import { readRegularFile } from '../lib/files/regular-file.ts';
import type { Loaded } from './load.ts';
import { parseJournal } from './parse.ts';
import { fold, type IsOwnGrant } from './records.ts';

/** The session before its last rewind; the current one if there was none. */
export function loadBeforeRewind(file: string, isOwnGrant?: IsOwnGrant): Loaded | null {
  const { records, damaged } = parseJournal(readRegularFile(file));
  const rewind = records.findLastIndex(({ type }) => type === 'rewind');
  const id = path.basename(file, '.jsonl');
  const folded = fold(rewind === -1 ? records : records.slice(0, rewind), id, isOwnGrant);
  return folded && { ...folded, ready: Promise.resolve(), damaged };
}
