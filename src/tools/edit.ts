import * as z from 'zod';
import { defineTool, type FileContent, fail, ok, type ToolContext } from '../contract/tool.ts';
import { diffOf } from '../lib/diff-lines.ts';
import { sha256 } from '../lib/sha256.ts';
import { nearestText } from './nearest-text.ts';
import { findText, lineAt, type Range, replaceRanges } from './replace-text.ts';
import { decode, isBinary, linesOf } from './text.ts';

const input = z.object({
  file_path: z.string().min(1).describe('File to change, absolute or relative to the working directory'),
  old_string: z.string().describe('Exact text to replace, without line numbers; unique unless replace_all'),
  new_string: z.string().describe('Text to put in its place'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence'),
  checksum: z.string().optional().describe('SHA-256 the file must still have'),
});

type EditInput = z.output<typeof input>;
type Planned =
  | { type: 'edit'; file: FileContent; bytes: Uint8Array; count: number }
  | { type: 'refused'; error: string };

export const edit = defineTool({
  name: 'Edit',
  aliases: ['edit_file', 'file_edit', 'str_replace', 'str_replace_editor', 'replace', 'replace_in_file'],
  description:
    'Replace exact text in a file; everything else stays byte for byte. ' +
    'Give enough of the surrounding lines in old_string to name one place only.',
  input,

  title: ({ file_path }) => `Edit ${file_path}`,
  access: ({ file_path }) => [{ kind: 'write', target: file_path }],

  async preview(edit, context) {
    const plan = await planEdit(edit, context);
    if (plan.type === 'refused') return undefined;
    return diffOf(edit.file_path, decode(plan.file.bytes), decode(plan.bytes));
  },

  async run(edit, context) {
    const plan = await planEdit(edit, context);
    if (plan.type === 'refused') return fail(plan.error);

    const { file, bytes, count } = plan;
    await context.files.write(edit.file_path, bytes);
    const hash = sha256(bytes);
    context.seen.set(file.path, hash);
    return ok('File updated successfully', {
      display: await diffOf(edit.file_path, decode(file.bytes), decode(bytes)),
      metadata: { path: file.path, replacements: count, sha256: hash },
    });
  },
});

/** Everything but the writing. A file that was not read may be edited: knowing its exact text is proof enough. */
async function planEdit(edit: EditInput, { files, seen }: ToolContext): Promise<Planned> {
  const { file_path, old_string, new_string, replace_all, checksum } = edit;
  if (old_string === '')
    return refused('old_string is empty. Give the text to replace, or use Write for a new file.');
  if (old_string === new_string)
    return refused('old_string and new_string are the same; there is nothing to change.');
  if (/\p{Surrogate}/u.test(old_string + new_string))
    return refused('The text has half a character in it. Send it whole.');

  const stat = await files.stat(file_path);
  if (!stat) return refused(`${file_path} does not exist. Find it with Glob, or create it with Write.`);
  if (stat.type === 'directory') return refused(`${file_path} is a folder. Name a file in it.`);
  const file = await files.read(file_path);
  if (isBinary(file.bytes)) return refused(`${file_path} is binary or UTF-16; Edit changes UTF-8 text only.`);

  const expected = [checksum?.toLowerCase(), seen.get(file.path)];
  if (expected.some((hash) => hash !== undefined && hash !== file.sha256)) {
    return refused(`File modified since last read\nRead ${file_path} again, then repeat the edit.`);
  }
  const ranges = findText(file.bytes, old_string);
  if (ranges.length === 0) return refused(explainMissing(file, old_string));
  if (ranges.length > 1 && !replace_all) return refused(explainMany(file, ranges));

  const bytes = replaceRanges(file.bytes, ranges, new_string);
  if (sha256(bytes) === file.sha256) {
    return refused(
      'The edit changes nothing: the texts differ in line endings only, and those of the file are kept.',
    );
  }
  return { type: 'edit', file, bytes, count: ranges.length };
}

function refused(error: string): Planned {
  return { type: 'refused', error };
}

function explainMissing(file: FileContent, wanted: string): string {
  const near = nearestText(linesOf(decode(file.bytes)), linesOf(wanted));
  if (near === null) return 'String not found in file\nNothing in it looks similar. Read the file again.';
  return `String not found in file\nThe nearest text is this; copy it exactly, without the line numbers:\n${near}`;
}

function explainMany(file: FileContent, ranges: Range[]): string {
  const lines = ranges.slice(0, 20).map(({ start }) => lineAt(file.bytes, start));
  const more = ranges.length > lines.length ? ', …' : '';
  return (
    `String appears ${ranges.length} times. Use replace_all or provide more context.\n` +
    `It begins on lines ${lines.join(', ')}${more}.`
  );
}
