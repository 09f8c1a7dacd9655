import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../lib/sha256.ts';
import type { UndoOptions } from './undo-options.ts';

/**
 * Each project has a separate folder for undo data, so that none has to read the data of others. A session
 * stays where its log is, even if it continues in another folder.
 */
export function undoPlace(
  dataRoot: string,
  { sessionId, cwd }: { sessionId: string; cwd: string },
): Pick<UndoOptions, 'folder' | 'sessionId' | 'excluded'> {
  const known = undoFolders(dataRoot).find((folder) => existsSync(logOf(folder, sessionId)));
  const real = existsSync(cwd) ? realpathSync(cwd) : cwd;
  const folder = known ?? path.join(dataRoot, 'undo', sha256(real).slice(0, 16));
  return { folder, sessionId, excluded: [dataRoot] };
}

/** The folders of all projects. Older versions used their parent folder for all projects. */
export function undoFolders(dataRoot: string): string[] {
  const all = path.join(dataRoot, 'undo');
  if (!statSync(all, { throwIfNoEntry: false })?.isDirectory()) return [];
  const projects = readdirSync(all).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return [all, ...projects.map((name) => path.join(all, name))];
}

/** A session's files in the undo folders. */
export function undoLogs(dataRoot: string, sessionId: string): string[] {
  return undoFolders(dataRoot).map((folder) => logOf(folder, sessionId));
}

function logOf(folder: string, sessionId: string): string {
  return path.join(folder, `${sessionId}.jsonl`);
}
