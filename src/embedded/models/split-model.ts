import { stat } from 'node:fs/promises';
import path from 'node:path';

const PART = /-(\d{5})-of-(\d{5})\.gguf$/i;

/** The other files of a model that is split into several, by the name of its first one. */
export function otherParts(file: string, count: number): string[] {
  const { dir, base } = path.parse(file);
  const name = base.replace(PART, '');
  const digits = (number: number) => String(number).padStart(5, '0');
  return Array.from({ length: count - 1 }, (_, i) =>
    path.join(dir, `${name}-${digits(i + 2)}-of-${digits(count)}.gguf`),
  );
}

/** The size of all these files, or the first that is missing. */
export async function sizeOfAll(files: readonly string[]): Promise<{ bytes: number } | { missing: string }> {
  let bytes = 0;
  for (const file of files) {
    const found = await stat(file).catch(() => null);
    if (!found?.isFile()) return { missing: file };
    bytes += found.size;
  }
  return { bytes };
}
