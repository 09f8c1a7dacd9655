import path from 'node:path';
import * as z from 'zod';
import { defineTool, type FileStat, type Files, fail, ok } from '../contract/tool.ts';
import { nearest } from '../lib/nearest.ts';
import { decode, isBinary, linesOf, numbered } from './text.ts';

const MAX_LINES = 2_000;
const MAX_LINE_LENGTH = 2_000;
const MAX_ENTRIES = 500;

export const read = defineTool({
  name: 'Read',
  aliases: [
    'read_file',
    'file_read',
    'view_file',
    'view',
    'open_file',
    'list_files',
    'list_directory',
    'list',
    'ls',
  ],
  description:
    `Read a text file as numbered lines (number, tab, line), at most ${MAX_LINES}; pass offset to go on. ` +
    'A folder is answered with its listing. Read a file before you overwrite it.',
  input: z.object({
    file_path: z.string().min(1).describe('File to read, absolute or relative to the working directory'),
    offset: z.number().int().min(0).default(0).describe('How many lines to skip'),
    limit: z.number().int().min(1).optional().describe('How many lines to return'),
  }),

  title: ({ file_path }) => `Read ${file_path}`,
  access: ({ file_path }) => [{ kind: 'read', target: file_path }],

  async run({ file_path, offset, limit }, { files, seen }) {
    const stat = await files.stat(file_path);
    if (!stat) return fail(await explainMissing(file_path, files));
    if (stat.type === 'directory') return ok(listing(file_path, await files.list(file_path)));

    const { path: real, bytes, sha256 } = await files.read(file_path);
    if (isBinary(bytes)) {
      return fail(
        `${file_path} is not UTF-8 text (${bytes.length} bytes, binary or UTF-16). Inspect it with a command.`,
      );
    }
    seen.set(real, sha256);
    const lines = linesOf(decode(bytes));
    const metadata = { lines: lines.length, sha256 };
    if (lines.length === 0) return ok(`${file_path} is empty.`, { metadata });
    if (offset >= lines.length) {
      return fail(`${file_path} has ${lines.length} lines; offset ${offset} is past its end.`);
    }

    const shown = lines.slice(offset, offset + (limit ?? MAX_LINES)).map(cutLine);
    const end = offset + shown.length;
    const left = lines.length - end;
    const more = limit === undefined && left > 0 ? `\n[${left} more lines: pass offset ${end} to go on]` : '';
    return ok(numbered(shown, offset) + more, { metadata });
  },
});

function cutLine(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  return `${line.slice(0, MAX_LINE_LENGTH)} [line cut: ${line.length - MAX_LINE_LENGTH} more characters]`;
}

function listing(folder: string, entries: FileStat[]): string {
  if (entries.length === 0) return `${folder} is an empty folder.`;
  const names = entries.map(nameOf);
  const left = names.length - MAX_ENTRIES;
  return [
    `${folder} is a folder:`,
    ...names.slice(0, MAX_ENTRIES),
    ...(left > 0 ? [`[${left} more]`] : []),
  ].join('\n');
}

function nameOf(entry: FileStat): string {
  return path.basename(entry.path) + (entry.type === 'directory' ? '/' : '');
}

/** What is missing, and what stands near it: the closest name, or else what the folder holds. */
async function explainMissing(file: string, files: Files): Promise<string> {
  const folder = path.dirname(file);
  const stat = await files.stat(folder);
  if (stat?.type !== 'directory')
    return `${file} does not exist, and neither does the folder ${folder}. Find it with Glob.`;

  const names = (await files.list(folder)).map(nameOf);
  const meant = nearest(path.basename(file), names);
  if (meant !== null) return `${file} does not exist. Did you mean ${path.join(folder, meant)}?`;
  const some = names.slice(0, 20).join(', ');
  return `${file} does not exist. ${names.length === 0 ? 'Its folder is empty.' : `Its folder holds: ${some}${names.length > 20 ? ', …' : ''}`}`;
}
