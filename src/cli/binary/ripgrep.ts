import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { dataRoot } from '../../lib/files/data-root.ts';
import { unpackProgram } from '../../lib/files/unpack-program.ts';

/** Defined by the build: the file inside the binary, and its SHA-256. */
declare const RIPGREP: { file: string; sha256: string };

/**
 * Replaces the ripgrep package in the binary: an embedded program cannot be executed, so it is extracted to
 * the data root on first use.
 */
export const rgPath = unpackProgram({
  folder: path.join(dataRoot(process.env), 'cache', 'programs'),
  name: RIPGREP.file,
  sha256: RIPGREP.sha256,
  read: () => readFileSync(new URL(RIPGREP.file, import.meta.url)),
});
