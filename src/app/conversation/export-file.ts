import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import { snapshotOf } from '../../session/store.ts';

export type ExportFormat = 'json' | 'markdown' | 'html';

const FORMATS: Record<string, ExportFormat> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
};

/** The export format for a file name; null if its extension is unknown. */
export function formatOf(file: string): ExportFormat | null {
  return FORMATS[path.extname(file).toLowerCase()] ?? null;
}

export async function exported(session: Session, format: ExportFormat): Promise<string> {
  if (format === 'json') return snapshotOf(session);
  if (format === 'html') return (await import('../../session/export/html.ts')).toHtml(session);
  return (await import('../../session/export/markdown.ts')).toMarkdown(session);
}

/** Exports a session to a new file, in the format of its extension. Resolves with the file. */
export async function exportTo(session: Session, file: string): Promise<string> {
  const format = formatOf(file);
  if (!format)
    throw new UserError(`Unknown export format: ${file}.`, 'Use a name that ends in .md, .html or .json.');
  const text = await exported(session, format);
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new UserError(`${file} already exists.`, 'Choose another name.');
    throw new UserError(`Could not write ${file}: ${message}.`, 'Choose another path.', { cause: error });
  }
  return file;
}
