import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { publicTypes } from './public-types.ts';

/** Writes the published type declarations into a folder, and removes everything else in it. */
const NAME = 'index.d.ts';
const [, , folder = 'dist/types'] = process.argv;
const types = await publicTypes();
await mkdir(folder, { recursive: true });
// Atomic: another process may be packing the folder.
const fresh = path.join(folder, `.${process.pid}.tmp`);
await writeFile(fresh, types);
await rename(fresh, path.join(folder, NAME));
for (const name of await readdir(folder))
  if (name !== NAME) await rm(path.join(folder, name), { recursive: true, force: true });
