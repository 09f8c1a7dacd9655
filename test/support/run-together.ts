import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleScript } from './bundle-script.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * Runs a file of this folder in several processes at once, each with its own arguments; resolves with the
 * output of each.
 */
export async function runTogether(
  script: string,
  { folder, each }: { folder: string; each: readonly string[][] },
): Promise<string[]> {
  const outfile = await bundled(script, folder);
  const run = promisify(execFile);
  const outcomes = await Promise.all(each.map((args) => run(process.execPath, [outfile, ...args])));
  return outcomes.map(({ stdout, stderr }) => stdout + stderr);
}

/** Bundles a file of this folder for plain Node; resolves with its path. */
export async function bundled(script: string, folder: string): Promise<string> {
  const outfile = path.join(folder, `${path.parse(script).name}.mjs`);
  await bundleScript(path.join(here, script), outfile);
  return outfile;
}
