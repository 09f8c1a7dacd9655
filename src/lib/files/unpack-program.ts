import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { isPrivateFolder, makePrivateFolder } from './private-folder.ts';

export type PackedProgram = {
  /** The folder that keeps it between runs. */
  folder: string;
  name: string;
  sha256: string;
  /** The program itself; called only if it is not saved yet. */
  read(): Buffer;
};

/**
 * Puts a program where it can be started and returns its path. A saved copy is used only if it is byte for
 * byte the one in this build. If nothing can be saved, uses a temporary folder of this process.
 */
export function unpackProgram({ folder, name, sha256, read }: PackedProgram): string {
  const { name: stem, ext } = path.parse(name);
  const file = path.join(folder, `${stem}-${sha256.slice(0, 16)}${ext}`);
  try {
    makePrivateFolder(folder);
    if (!isPrivateFolder(folder)) return unpackForNow(name, read());
    if (hashOf(file) !== sha256) writeProgram(file, read());
    return file;
  } catch {
    return unpackForNow(name, read());
  }
}

function unpackForNow(name: string, content: Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ai-assistant-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  writeProgram(file, content);
  return file;
}

/** Atomic, however many processes write at once. */
function writeProgram(file: string, content: Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o700 });
  renameSync(temporary, file);
}

function hashOf(file: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return null;
  }
}
