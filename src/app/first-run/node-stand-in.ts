import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { singleQuoted } from '../../lib/text/shell-quote.ts';

/** Defined by the build of the standalone binary: its target platform. */
declare const ACA_BINARY: string | undefined;

/**
 * The PATH for our own scratch project, whose test runs `node`. Users of the binary may not have Node: then
 * the binary's own runtime is used instead. It would read a project's settings for itself, so it is never
 * used in a user's folder.
 */
export async function pathWithNode(
  programs: string | undefined,
  folder: string,
): Promise<string | undefined> {
  if (typeof ACA_BINARY !== 'string') return programs;
  const [name, text] =
    process.platform === 'win32'
      ? ['node.cmd', `@set BUN_BE_BUN=1\r\n@"${process.execPath}" %*\r\n`]
      : ['node', `#!/bin/sh\nBUN_BE_BUN=1 exec ${singleQuoted(process.execPath)} "$@"\n`];
  makePrivateFolder(folder);
  await writeFile(path.join(folder, name), text, { mode: 0o755 });
  return [programs, folder].filter(Boolean).join(path.delimiter);
}
