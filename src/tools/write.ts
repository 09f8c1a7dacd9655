import * as z from 'zod';
import { defineTool, type FileContent, fail, ok } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import { diffOf } from '../lib/text/diff-lines.ts';
import {
  decodeText,
  detectEncoding,
  type Encoding,
  encodeText,
  hasHalfCharacter,
} from '../lib/text/text-encoding.ts';

export const write = defineTool({
  name: 'Write',
  aliases: ['write_file', 'file_write', 'create_file', 'save_file'],
  description:
    'Create a file, or overwrite one you have read in this session. ' +
    'Folders are created as needed. To change part of a file use Edit.',
  input: () =>
    z.object({
      file_path: z.string().min(1).describe('File to write, absolute or relative to the working directory'),
      content: z.string().describe('The complete content of the file'),
    }),

  title: ({ file_path }) => `Write ${file_path}`,
  access: ({ file_path }) => [{ kind: 'write', target: file_path }],

  async preview({ file_path, content }, { files }) {
    const old = (await files.stat(file_path)) ? await files.read(file_path) : null;
    const format = formatOf(old, content);
    return diffOf(file_path, old && decodeText(old.bytes, format.encoding), inFormat(content, format));
  },

  async run({ file_path, content }, { files, seen }) {
    const stat = await files.stat(file_path);
    if (stat?.type === 'directory') return fail(`${file_path} is a folder. Specify a file in it.`);
    if (hasHalfCharacter(content))
      return fail('The content contains half of a character (a lone surrogate). Send it complete.');

    const old = stat && (await files.read(file_path));
    const format = formatOf(old, content);
    const text = inFormat(content, format);
    const bytes = encodeText(text, format.encoding);
    if (bytes === null) {
      return fail(
        `${file_path} is in ${format.encoding}, which cannot represent some characters of the content. ` +
          'Avoid them, or delete the file first to have it written as UTF-8.',
      );
    }
    const hash = sha256(bytes);
    if (old?.sha256 === hash) {
      seen.set(old.path, hash);
      return ok(`${file_path} already has exactly this content; nothing was written.`);
    }
    if (old) {
      const known = seen.get(old.path);
      if (known === undefined) {
        return fail(
          `${file_path} exists and was not read in this session. Read it first, then write or edit it.`,
        );
      }
      if (known !== old.sha256) {
        return fail(`File modified since last read\nRead ${file_path} again, then decide what to write.`);
      }
    }

    await files.write(file_path, bytes, old);
    const written = await files.stat(file_path);
    if (written) seen.set(written.path, hash);
    return ok([`File ${old ? 'overwritten' : 'created'} successfully`, ...notesOf(format)].join('\n'), {
      display: await diffOf(file_path, old && decodeText(old.bytes, format.encoding), text),
      metadata: { path: written?.path ?? file_path, bytes: bytes.length, sha256: hash },
    });
  },
});

/** How a text is written to disk. */
type FileFormat = { encoding: Encoding; crlf: boolean };

/**
 * A file keeps its encoding, and its line endings if all were CRLF: the model sees neither when it reads, so
 * content without any CR says nothing about them.
 */
function formatOf(old: FileContent | null, content: string): FileFormat {
  const encoding = (old && detectEncoding(old.bytes)) ?? 'utf-8';
  const text = old && decodeText(old.bytes, encoding);
  const crlf =
    text !== null && !content.includes('\r') && /\r\n/.test(text) && !/[^\r]\n|^\n|\r(?!\n)/.test(text);
  return { encoding, crlf };
}

function inFormat(content: string, { crlf }: FileFormat): string {
  return crlf ? content.replaceAll('\n', '\r\n') : content;
}

function notesOf({ encoding, crlf }: FileFormat): string[] {
  return [
    ...(encoding === 'utf-8' ? [] : [`The file keeps its encoding, ${encoding}.`]),
    ...(crlf ? ['The file keeps its CRLF line endings.'] : []),
  ];
}
