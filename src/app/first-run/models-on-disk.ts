import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export type ModelFile = { file: string; bytes: number };

/** Known programs store no models deeper than this. */
const DEEPEST = 6;
const MOST_FOLDERS = 500;
const MOST_FILES = 5;
/** Later parts of a split model, and vision projectors, which are not models themselves. */
const NO_MODEL = /-0*([2-9]|[1-9]\d+)-of-\d+\.gguf$|mmproj/i;

/** Model files (GGUF) left on the disk by this and other programs, smallest first. */
export async function modelsOnDisk({ root, home }: { root: string; home: string }): Promise<ModelFile[]> {
  const places = [
    path.join(root, 'models'),
    path.join(home, '.lmstudio', 'models'),
    path.join(home, '.cache', 'lm-studio', 'models'),
    path.join(home, '.cache', 'llama.cpp'),
    path.join(home, 'Library', 'Caches', 'llama.cpp'),
    path.join(home, '.cache', 'huggingface', 'hub'),
  ];
  const found: ModelFile[] = [];
  let looked = 0;
  const queue = places.map((folder) => ({ folder, depth: 0 }));
  for (let next = queue.shift(); next && looked < MOST_FOLDERS; next = queue.shift()) {
    const { folder, depth } = next;
    looked++;
    for (const entry of await entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEEPEST) queue.push({ folder: file, depth: depth + 1 });
      } else if (entry.name.endsWith('.gguf') && !NO_MODEL.test(entry.name)) {
        // Some caches contain symlinks.
        const facts = await stat(file).catch(() => null);
        if (facts?.isFile()) found.push({ file, bytes: facts.size });
      }
    }
  }
  return found.sort((a, b) => a.bytes - b.bytes).slice(0, MOST_FILES);
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
