import { parseJson } from '../text/json.ts';
import { unlessErrno } from './errno.ts';
import { readRegularText } from './regular-file.ts';

/** The values in a JSON Lines file; empty if there is no regular file. Skips truncated and invalid lines. */
export function readJsonLines(file: string): unknown[] {
  return textIfAny(file)
    .split('\n')
    .flatMap((line) => {
      const value = parseJson(line);
      return value === undefined ? [] : [value];
    });
}

export function toJsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function textIfAny(file: string): string {
  return unlessErrno(['ENOENT', 'ENXIO'], '', () => readRegularText(file));
}
