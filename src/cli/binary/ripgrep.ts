import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { dataRoot } from '../../lib/files/data-root.ts';
import { unpackProgram } from '../../lib/files/unpack-program.ts';

/** Put in by the build: the file inside the binary, and what its content hashes to. */
declare const RIPGREP: { file: string; sha256: string };

/**
 * What the build of the binary puts in the place of the package that brings ripgrep: a program inside another one
 * cannot be started, so it is put into the data root on its first use.
 */
export const rgPath = unpackProgram({
  folder: path.join(dataRoot(process.env), 'cache', 'programs'),
  name: RIPGREP.file,
  sha256: RIPGREP.sha256,
  read: () => readFileSync(new URL(RIPGREP.file, import.meta.url)),
});
