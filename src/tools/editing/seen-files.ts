import type { FileContent, ToolContext } from '../../contract/tool.ts';

type SeenFile = Pick<FileContent, 'path' | 'bytes' | 'sha256'>;

/** Contents of the files that the model saw last, to find out what others changed since. */
const MAX_BYTES = 32 * 1024 * 1024;
const contents = new WeakMap<ToolContext['seen'], Map<string, SeenFile>>();

/** The model now knows this content. */
export function noteSeen({ seen }: Pick<ToolContext, 'seen'>, file: SeenFile): void {
  seen.set(file.path, file.sha256);
  const known = contents.get(seen) ?? new Map<string, SeenFile>();
  contents.set(seen, known);
  known.delete(file.path);
  known.set(file.path, file);
  let size = [...known.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (const [path, { bytes }] of known) {
    if (size <= MAX_BYTES) break;
    size -= bytes.length;
    known.delete(path);
  }
}

/** The bytes that the model saw last; undefined if they are not known any more. */
export function seenBytes({ seen }: Pick<ToolContext, 'seen'>, path: string): Uint8Array | undefined {
  const file = contents.get(seen)?.get(path);
  return file?.sha256 === seen.get(path) ? file?.bytes : undefined;
}
