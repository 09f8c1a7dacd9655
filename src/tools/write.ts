import * as z from 'zod';
import { defineTool, fail, ok } from '../contract/tool.ts';
import { diffOf } from '../lib/diff-lines.ts';
import { sha256 } from '../lib/sha256.ts';
import { decode, encode } from './text.ts';

export const write = defineTool({
  name: 'Write',
  aliases: ['write_file', 'file_write', 'create_file', 'save_file'],
  description:
    'Create a file, or replace the whole of one you have read in this session. ' +
    'Folders are made as needed. To change a part of a file use Edit.',
  input: z.object({
    file_path: z.string().min(1).describe('File to write, absolute or relative to the working directory'),
    content: z.string().describe('The whole content of the file'),
  }),

  title: ({ file_path }) => `Write ${file_path}`,
  access: ({ file_path }) => [{ kind: 'write', target: file_path }],

  async preview({ file_path, content }, { files }) {
    const old = (await files.stat(file_path)) ? await files.read(file_path) : null;
    return diffOf(file_path, old && decode(old.bytes), content);
  },

  async run({ file_path, content }, { files, seen }) {
    const bytes = encode(content);
    const hash = sha256(bytes);
    const stat = await files.stat(file_path);
    if (stat?.type === 'directory') return fail(`${file_path} is a folder. Name a file in it.`);

    const old = stat && (await files.read(file_path));
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

    await files.write(file_path, bytes);
    const written = await files.stat(file_path);
    if (written) seen.set(written.path, hash);
    return ok(`File ${old ? 'overwritten' : 'created'} successfully`, {
      display: await diffOf(file_path, old && decode(old.bytes), content),
      metadata: { path: written?.path ?? file_path, bytes: bytes.length, sha256: hash },
    });
  },
});
