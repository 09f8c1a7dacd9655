import path from 'node:path';
import { fileURLToPath } from 'node:url';

const built = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/main.cjs');

/** The standalone binary that the journeys are to run instead of the JavaScript build. */
export const binary: string | undefined = process.env.ACA_UNDER_TEST || undefined;

/** The line that starts the program, `main` being another JavaScript build than dist/. */
export function programLine(args: readonly string[], main?: string): [string, ...string[]] {
  if (main === undefined && binary !== undefined) return [binary, ...args];
  return [process.execPath, main ?? built, ...args];
}

/** The same as `spawn` takes it. */
export function program(args: readonly string[]): { file: string; args: string[] } {
  const [file, ...rest] = programLine(args);
  return { file, args: rest };
}
