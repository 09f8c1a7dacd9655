import path from 'node:path';
import type { EditorBuffers } from '../../contract/editor-buffers.ts';
import type { FileContent, Files, FileWrite } from '../../contract/tool.ts';
import { sha256 } from '../../lib/sha256.ts';
import { decodeText, detectEncoding, encodeText, markLength } from '../../lib/text/text-encoding.ts';

type Options = { cwd: string; buffers: EditorBuffers };

/** Larger files are taken from the disk. */
const MAX_BUFFER_BYTES = 10 * 1024 * 1024;

/**
 * Files as an editor shows them: what is not saved yet is read from its buffers, and changes land in them. Every
 * path is checked by the files underneath first, which also keep the old content for undo, let the editor save the new
 * content, and see to it that the disk has it exactly.
 */
export function withBuffers(files: Files, { cwd, buffers }: Options): Files {
  async function read(file: string): Promise<FileContent> {
    const saved = await files.read(file);
    const text = await unsavedText(buffers, path.resolve(cwd, file), saved.bytes);
    return text === null ? saved : { path: saved.path, ...savedAs(text, saved.bytes) };
  }

  /** What the caller has read may be a buffer; the files underneath compare with the disk. */
  async function checked(change: FileWrite): Promise<FileWrite> {
    const { path: file, was } = change;
    if (!(await isSmallFile(file))) return withEditor(change, null);
    const saved = await files.read(file);
    const text = await buffers.read(path.resolve(cwd, file));
    const known = withEditor(change, text);
    if (!was || text === null || isSaved(text, saved.bytes)) return known;
    if (savedAs(text, saved.bytes).sha256 !== was.sha256)
      throw new Error(
        `${file} has unsaved changes in the editor that were not read yet. Read it again, then repeat the change.`,
      );
    return { ...known, was: saved };
  }

  /** `text` is what the editor has: it gets the new text in the same form. */
  function withEditor(change: FileWrite, text: string | null): FileWrite {
    const { write } = buffers;
    if (!write || detectEncoding(change.bytes) === null) return change;
    const editor = (bytes: Uint8Array) => write(path.resolve(cwd, change.path), shownAs(bytes, text));
    return { ...change, editor };
  }

  async function isSmallFile(file: string): Promise<boolean> {
    const stat = await files.stat(file);
    return stat?.type === 'file' && stat.size <= MAX_BUFFER_BYTES;
  }

  async function writeAll(changes: readonly FileWrite[]): Promise<void> {
    await files.writeAll(await Promise.all(changes.map(checked)));
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
  const text = await buffers.read(file);
  return text === null || isSaved(text, bytes) ? null : text;
}

const MARK = '\uFEFF';

/** Editors may keep the line endings and the byte order mark apart from the text. */
function isSaved(text: string, bytes: Uint8Array): boolean {
  const saved = decoded(bytes);
  // Only the editor knows what it makes of bytes that are no text.
  return saved === null || plain(text) === plain(saved);
}

function decoded(bytes: Uint8Array): string | null {
  const encoding = detectEncoding(bytes);
  return encoding && decodeText(bytes, encoding);
}

function plain(text: string): string {
  return text.replace(MARK, '').replaceAll('\r\n', '\n');
}

/** The text of a buffer as the editor would save it over these bytes. */
function savedAs(text: string, old: Uint8Array): { bytes: Uint8Array; sha256: string } {
  const encoding = detectEncoding(old) ?? 'utf-8';
  const saved = decodeText(old, encoding);
  const isDos = saved.includes('\r\n') && !/(^|[^\r])\n/.test(saved);
  const ended = isDos && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text;
  const bare = markLength(encoding) > 0 ? ended.replace(MARK, '') : ended;
  const bytes = encodeText(bare, encoding) ?? Buffer.from(text);
  return { bytes, sha256: sha256(bytes) };
}

/** A new text in the form in which the editor has the old one; null if it has none. */
function shownAs(bytes: Uint8Array, shown: string | null): string {
  const encoding = detectEncoding(bytes) ?? 'utf-8';
  const text = decodeText(bytes, encoding);
  const hasMark = markLength(encoding) > 0 && (shown === null || shown.startsWith(MARK));
  const ended = shown === null || shown.includes('\r\n') ? text : text.replaceAll('\r\n', '\n');
  return hasMark ? MARK + ended : ended;
}
