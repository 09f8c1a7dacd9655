import { closeSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { UserError } from '../../contract/errors.ts';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { openRegularFile } from '../../lib/files/regular-file.ts';
import { visible } from '../../lib/text/printable.ts';

const HEAD_BYTES = 64 * 1024;

/** How our exports begin. */
const STARTS = [
  /^\{"format":"aca-session-bundle",/,
  /^\{\n {2}"id": "[^"]+",\n {2}"workingDirectory": /,
  /^# .*\n\n- Session: \S+\n- Folder: /,
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n(?:<meta .*>\n)*<meta name="generator" content="aca">\n/i,
];

/**
 * Writes an export to its file. Throws a `UserError` if it cannot be written, and before `write` if that would overwrite
 * something else than an earlier export.
 */
export async function writeExportTo<T>(
  file: string,
  { force = false }: { force?: boolean },
  write: () => Promise<T>,
): Promise<T> {
  const name = visible(file);
  const stat = unlessErrno('any', undefined, () => statSync(file, { throwIfNoEntry: false }));
  if (stat?.isDirectory()) throw new UserError(`${name} is a folder.`, 'Name a file in it.');
  const folder = path.dirname(file);
  if (!stat && !unlessErrno('any', undefined, () => statSync(folder))?.isDirectory())
    throw new UserError(`There is no folder ${visible(folder)}.`, 'Create it, or choose another path.');
  if (stat?.isFile() && !force && !isExport(file))
    throw new UserError(
      `${name} already exists and is not an exported session.`,
      'Choose another name, or overwrite it with --force.',
    );
  try {
    return await write();
  } catch (error) {
    if (!isErrno(error)) throw error;
    throw new UserError(`Could not write ${name}: ${error.message}.`, 'Choose another path.', {
      cause: error,
    });
  }
}

/** An empty file has nothing to lose. */
function isExport(file: string): boolean {
  const bytes = unlessErrno('any', null, () => headOf(file));
  if (bytes === null) return false;
  const text = bytes.length === 0 ? '' : unpacked(bytes).toString('utf8');
  return bytes.length === 0 || STARTS.some((start) => start.test(text));
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return unlessErrno('any', bytes, () => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }));
}

function headOf(file: string): Buffer {
  const descriptor = openRegularFile(file);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head));
  } finally {
    closeSync(descriptor);
  }
}
