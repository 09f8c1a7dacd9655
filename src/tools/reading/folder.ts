import path from 'node:path';
import { PermissionDeniedError } from '../../contract/errors.ts';
import type { FileStat, Files } from '../../contract/tool.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { fitting } from './page.ts';

const MAX_ENTRIES = 500;

/** The names in a folder, as many as fit in an answer. */
export function listing(
  folder: string,
  entries: readonly FileStat[],
  { offset, characters }: { offset: number; characters: number },
): string {
  if (entries.length === 0) return `${folder} is an empty folder.`;
  if (offset >= entries.length)
    return `${folder} has ${entries.length} entries; entry ${offset + 1} is past them.`;
  const names = entries.slice(offset, offset + MAX_ENTRIES).map(nameOf);
  const { text, shown } = fitting([`${folder} is a folder:`, ...names], characters);
  const end = offset + shown - 1;
  const left = entries.length - end;
  return left > 0 ? `${text}\n[${left} more: continue with offset ${end + 1}]` : text;
}

/** Reports a missing file with the closest name nearby, or else the content of the folder. */
export async function explainMissing(file: string, files: Files): Promise<string> {
  const folder = path.dirname(file);
  const stat = await files.stat(folder).catch(notOpened);
  if (stat === undefined) return `${file} does not exist.`;
  if (stat?.type !== 'directory')
    return `${file} does not exist, and neither does the folder ${folder}. Find it with Glob.`;

  if ((await files.stat(file, { itself: true }).catch(notOpened))?.type === 'other')
    return `${file} is a link whose target does not exist.`;
  const names = (await files.list(folder)).map(nameOf);
  const meant = nearest(path.basename(file), names);
  if (meant !== null) return `${file} does not exist. Did you mean ${path.join(folder, meant)}?`;
  const some = names.slice(0, 20).join(', ');
  return `${file} does not exist. ${names.length === 0 ? 'Its folder is empty.' : `Its folder contains: ${some}${names.length > 20 ? ', …' : ''}`}`;
}

/** Outside the working directory one file of a folder may be open and the others not. */
function notOpened(error: unknown): undefined {
  if (!(error instanceof PermissionDeniedError)) throw error;
}

function nameOf(entry: FileStat): string {
  return path.basename(entry.path) + (entry.type === 'directory' ? '/' : '');
}
