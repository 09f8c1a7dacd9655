import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** A position in a bundled file: path, line and column. */
const PLACE = /([^\s()]+\.c?js):(\d+):(\d+)/g;

/** A stack trace with source files instead of bundled ones, where source maps exist next to them. */
export function sourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | null>();
  return stack.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    if (!maps.has(file)) maps.set(file, sourceMapOf(file));
    const found = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!found || !('originalSource' in found)) return place;
    const { originalSource, originalLine, originalColumn } = found;
    // Paths are relative to the folder of the bundle.
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
