import * as z from 'zod';
import { defineTool, type FileContent, fail, ok, type ToolContext } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import { diffOf, type LineDiff } from '../lib/text/diff-lines.ts';
import {
  decodeText,
  detectEncoding,
  type Encoding,
  encodeText,
  hasHalfCharacter,
} from '../lib/text/text-encoding.ts';
import { adaptWrite } from './dialects/adapt-editing.ts';
import { FILE_NAMES } from './dialects/names.ts';
import { brokenBy } from './editing/edit-feedback.ts';
import type { Refusal } from './editing/plan-edit.ts';
import { noteSeen } from './editing/seen-files.ts';

export const write = defineTool({
  name: 'Write',
  aliases: ['write_file', 'file_write', 'create_file', 'save_file', 'write_to_file', 'create'],
  argumentAliases: {
    file_path: FILE_NAMES,
    content: ['contents', 'text', 'file_text', 'file_content', 'data'],
  },
  ignoredArguments: ['line_count', 'create_dirs', 'instructions'],
  adapt: adaptWrite,
  description:
    'Create a file, or overwrite one you have read in this session. ' +
    'Folders are created as needed. To change part of a file use Edit.',
  input: () =>
    z.object({
      file_path: z.string().min(1).describe('File to write'),
      content: z.string().describe('The complete content of the file'),
    }),

  title: ({ file_path }, shown) => `Write ${shown(file_path)}`,
  access: ({ file_path }) => [{ kind: 'write', target: file_path }],

  async preview(input, context) {
    const plan = await planWrite(input, context);
    return plan.type === 'refused' ? { kind: 'refused', error: plan.error } : showPlan(input.file_path, plan);
  },

  async run(input, context) {
    const { file_path } = input;
    const { files, seen } = context;
    const plan = await planWrite(input, context);
    if (plan.type === 'refused') return fail(plan.error);

    const { old, bytes, format } = plan;
    const hash = sha256(bytes);
    if (old?.sha256 === hash) {
      seen.set(old.path, hash);
      return ok(`${file_path} already has exactly this content; nothing was written.`, {
        summary: { kind: 'change', added: 0, removed: 0, files: 1 },
      });
    }
    await files.write(file_path, bytes, old);
    const written = await files.stat(file_path);
    if (written) noteSeen(context, { path: written.path, bytes, sha256: hash });
    const before = old && decodeText(old.bytes, format.encoding);
    const notes = [...notesOf(format), ...(await brokenBy(file_path, { before, after: plan.text }, context))];
    return ok([`File ${old ? 'overwritten' : 'created'} successfully`, ...notes].join('\n'), {
      display: await showPlan(file_path, plan),
      metadata: { path: written?.path ?? file_path, bytes: bytes.length, sha256: hash },
    });
  },
});

type WritePlan = {
  type: 'write';
  old: FileContent | null;
  bytes: Uint8Array;
  text: string;
  format: FileFormat;
};

/** Everything except writing. */
async function planWrite(
  { file_path, content }: { file_path: string; content: string },
  { files, seen }: ToolContext,
): Promise<WritePlan | Refusal> {
  const refused = (error: string): Refusal => ({ type: 'refused', error });
  const stat = await files.stat(file_path);
  if (stat?.type === 'directory') return refused(`${file_path} is a folder. Specify a file in it.`);
  if (hasHalfCharacter(content))
    return refused('The content contains half of a character (a lone surrogate). Send it complete.');

  const old = stat && (await files.read(file_path));
  const format = formatOf(old, content);
  const text = inFormat(content, format);
  const bytes = encodeText(text, format.encoding);
  if (bytes === null) {
    return refused(
      `${file_path} is in ${format.encoding}, which cannot represent some characters of the content. ` +
        'Avoid them, or delete the file first to have it written as UTF-8.',
    );
  }
  const isSame = old?.sha256 === sha256(bytes);
  const known = old && seen.get(old.path);
  if (old && !isSame && known === undefined)
    return refused(
      `${file_path} exists and was not read in this session. Read it first, then write or edit it.`,
    );
  if (old && !isSame && known !== old.sha256)
    return refused(`File modified since last read\nRead ${file_path} again, then decide what to write.`);
  return { type: 'write', old, bytes, text, format };
}

function showPlan(path: string, { old, text, format }: WritePlan): Promise<LineDiff> {
  return diffOf(path, old && decodeText(old.bytes, format.encoding), text);
}

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
