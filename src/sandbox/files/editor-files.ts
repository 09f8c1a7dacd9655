import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import type { EditorBuffers } from '../../contract/editor-buffers.ts';
import type { FileContent, Files, FileWrite } from '../../contract/tool.ts';
import { sha256 } from '../../lib/sha256.ts';

type Options = { cwd: string; buffers: EditorBuffers };

/** Larger files are taken from the disk. */
const MAX_BUFFER_BYTES = 10 * 1024 * 1024;

/**
 * Files as an editor shows them: what is not saved yet is read from its buffers, and changes land in them. Every
 * path is checked by the files underneath first, which also write to the disk and keep the old content for undo.
 */
export function withBuffers(files: Files, { cwd, buffers }: Options): Files {
  const unsaved = (file: string, { bytes }: FileContent) =>
    unsavedText(buffers, path.resolve(cwd, file), bytes);

  async function read(file: string): Promise<FileContent> {
    const saved = await files.read(file);
    const text = await unsaved(file, saved);
    return text === null ? saved : { path: saved.path, ...contentOf(text) };
  }

  /** What the caller has read may be a buffer; the files underneath compare with the disk. */
  async function checked(change: FileWrite): Promise<FileWrite> {
    const { path: file, was } = change;
    if (!was || !(await isSmallFile(file))) return change;
    const saved = await files.read(file);
    const text = await unsaved(file, saved);
    if (text === null) return change;
    if (contentOf(text).sha256 !== was.sha256)
      throw new Error(
        `${file} has unsaved changes in the editor that were not read yet. Read it again, then repeat the change.`,
      );
    return { ...change, was: saved };
  }

  async function isSmallFile(file: string): Promise<boolean> {
    const stat = await files.stat(file);
    return stat?.type === 'file' && stat.size <= MAX_BUFFER_BYTES;
  }

  async function writeAll(changes: readonly FileWrite[]): Promise<void> {
    const all = await Promise.all(changes.map(checked));
    await files.writeAll(all);
    for (const { path: file, bytes } of changes)
      if (isUtf8(bytes)) await buffers.write?.(path.resolve(cwd, file), new TextDecoder().decode(bytes));
  }

  return {
    ...files,
    read,
    async stat(file, meant) {
      // A version would say that nothing has changed, which the disk does not know.
      const { version: _, ...stat } = (await files.stat(file, meant)) ?? { path: '' };
      return 'type' in stat ? stat : null;
    },
    write: (file, bytes, was) => writeAll([{ path: file, bytes, ...(was !== undefined && { was }) }]),
    writeAll,
  };
}

/** What the editor has of a file; null if the disk has the same. */
export async function unsavedText(
  buffers: EditorBuffers,
  file: string,
  bytes: Uint8Array,
): Promise<string | null> {
  if (!isUtf8(bytes)) return null;
  const text = await buffers.read(file);
  return text === null || sameText(text, new TextDecoder().decode(bytes)) ? null : text;
}

function contentOf(text: string): { bytes: Uint8Array; sha256: string } {
  const bytes = Buffer.from(text);
  return { bytes, sha256: sha256(bytes) };
}

/** Editors may keep line endings apart from the text. */
function sameText(a: string, b: string): boolean {
  return a === b || a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n');
}
