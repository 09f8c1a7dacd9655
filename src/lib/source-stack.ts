import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** A place in a bundled file: its path, line and column. */
const PLACE = /([^\s()]+\.c?js):(\d+):(\d+)/g;

/** A stack trace that names the files of the source instead of those of the build, where source maps lie beside them. */
export function sourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | null>();
  return stack.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    if (!maps.has(file)) maps.set(file, sourceMapOf(file));
    const found = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!found || !('originalSource' in found)) return place;
    const { originalSource, originalLine, originalColumn } = found;
    // They are told from the folder of the bundle.
    const source = originalSource.replace(/^(\.\.\/)+/, '');
    return `${source}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function sourceMapOf(file: string): SourceMap | null {
  try {
    const payload: SourceMapPayload = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
    return new SourceMap(payload);
  } catch {
    return null;
  }
}
