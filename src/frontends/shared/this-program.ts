import type { Terminal } from './terminal.ts';

/** Defined by the build, only in the standalone binary. */
declare const ACA_BINARY: string | undefined;

/** How this program is started. */
export function programOf({ program }: Pick<Terminal, 'program'>): string[] {
  const isBinary = typeof ACA_BINARY === 'string';
  return [process.execPath, ...(isBinary || program === undefined ? [] : [program])];
}
