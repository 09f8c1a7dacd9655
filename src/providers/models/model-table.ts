import path from 'node:path';
import { readRegularText } from '../../lib/files/regular-file.ts';
import type { ModelTable } from './facts.ts';
import { builtIn } from './models-data.ts';

/** Where a downloaded table is stored in the data root. */
export function tableFile(root: string): string {
  return path.join(root, 'models.json');
}

let file: string | undefined;
let loaded: ModelTable | undefined;

/** From now on, facts come from the table in this data root, if there is one. It is read when first needed. */
export function useTableIn(root: string): void {
  const named = tableFile(root);
  if (named === file) return;
  file = named;
  loaded = undefined;
}

/** The downloaded table, unless the program ships a newer one. */
export function modelTable(): ModelTable {
  loaded ??= newer(file === undefined ? null : readTable(file));
  return loaded;
}

function newer(downloaded: ModelTable | null): ModelTable {
  return downloaded && downloaded.date >= builtIn.date ? downloaded : builtIn;
}

/** Null if it is missing or was damaged; it was checked in full before it was stored. */
function readTable(file: string): ModelTable | null {
  try {
    const table = JSON.parse(readRegularText(file)) as Partial<ModelTable> | null;
    const { date, sources, models, aliases } = table ?? {};
    return typeof date === 'string' && sources && models && aliases
      ? { date, sources, models, aliases }
      : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}
