import { readRegularText } from './regular-file.ts';

/** The values in a JSON Lines file; empty if there is no regular file. Skips truncated and invalid lines. */
export function readJsonLines(file: string): unknown[] {
  return textIfAny(file)
    .split('\n')
    .flatMap((line) => {
      if (line === '') return [];
      try {
        return [JSON.parse(line) as unknown];
      } catch (error) {
        if (error instanceof SyntaxError) return [];
        throw error;
      }
    });
}

export function toJsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function textIfAny(file: string): string {
  try {
    return readRegularText(file);
  } catch (error) {
    if (['ENOENT', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
