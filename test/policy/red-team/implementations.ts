import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';

/** Programs that are many others, under their names: how each lists them. */
const MANY: readonly { program: string; list: readonly string[] }[] = [
  { program: '/usr/bin/busybox', list: ['--list'] },
  { program: '/usr/bin/toybox', list: [] },
  { program: '/bin/toybox', list: [] },
  { program: '/usr/bin/coreutils', list: ['--list'] },
];
/** What runs and watches the lines. */
const KEPT = new Set(['bash', 'sh', 'env', 'strace']);

/** Another implementation of the usual programs: their names, and a folder with a link for each. */
export type Implementation = { names: ReadonlySet<string>; folder: string };

/** Those on this machine. Their links are made in `below`. */
export async function implementations(below: string): Promise<Implementation[]> {
  const found: Implementation[] = [];
  for (const { program, list } of MANY.filter((one) => existsSync(one.program))) {
    const listed = execFileSync(program, [...list], { encoding: 'utf8' }).split(/\s+/);
    const names = new Set(listed.filter((name) => /^[\w.-]+$/.test(name) && !KEPT.has(name)));
    const folder = path.join(below, path.basename(program));
    if (!(await mkdir(folder, { recursive: true }))) continue;
    for (const name of names) await symlink(program, path.join(folder, name));
    found.push({ names, folder });
  }
  return found;
}
