import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
/** The JavaScript build. */
export const built = path.join(here, '../../dist/main.cjs');

/** The standalone binary to test instead of the JavaScript build. */
export const binary: string | undefined = process.env.ACA_UNDER_TEST || undefined;

/** The command line of the program; `main` is a JavaScript build other than dist/. */
export function programLine(args: readonly string[], main?: string): [string, ...string[]] {
  if (main !== undefined) return [process.execPath, main, ...args];
  if (binary !== undefined) return [binary, ...args];
  return [process.execPath, built, ...args];
}

/** The same, for `spawn`. */
export function program(args: readonly string[]): { file: string; args: string[] } {
  const [file, ...rest] = programLine(args);
  return { file, args: rest };
}
