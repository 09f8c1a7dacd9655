import path from 'node:path';
import * as z from 'zod';
import { countOf } from '../contract/display.ts';
import {
  defineTool,
  type FileContent,
  type FileStat,
  fail,
  ok,
  type ToolContext,
  type ToolResult,
} from '../contract/tool.ts';
import { imageOf } from '../lib/images/image-kind.ts';
import { fullLimits } from '../lib/results/result-limits.ts';
import { megabytes } from '../lib/text/size.ts';
import { decodeText, detectEncoding } from '../lib/text/text-encoding.ts';
import { adaptRead } from './dialects/adapt-reading.ts';
import { FILE_NAMES } from './dialects/names.ts';
import { lfsNote } from './editing/lfs-pointer.ts';
import { noteSeen } from './editing/seen-files.ts';
import { explainMissing, listing } from './reading/folder.ts';
import { showImage } from './reading/image.ts';
import { notebookOf, showNotebook } from './reading/notebook.ts';
import {
  cutNote,
  moreLinesNote,
  numberedPage,
  type PageSize,
  pageOf,
  pageSize,
  windowOf,
} from './reading/page.ts';
import { isPdf, showPdf } from './reading/pdf.ts';

/** The limit of `files.read`. */
const MAX_WHOLE_BYTES = 10 * 1024 * 1024;
/** Images are scaled down, so that a large file may be a small image for the model. */
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;
const IMAGE_NAME = /\.(png|jpe?g|webp|gif)$/i;

const input = () =>
  z.object({
    file_path: z.string().min(1).describe('File to read'),
    offset: z.number().int().min(0).optional().describe('First line, from 1'),
    limit: z.number().int().min(1).optional().describe('How many lines'),
    character: z.number().min(1).optional().describe('Within one long line: first character'),
    pages: z.string().optional().describe('Of a PDF, such as 3 or 1-5'),
  });

type Wanted = z.output<ReturnType<typeof input>>;

export const read = defineTool({
  name: 'Read',
  aliases: [
    'read_file',
    'file_read',
    'view_file',
    'view',
    'open_file',
    'cat',
    'view_image',
    'read_many_files',
  ],
  argumentAliases: {
    file_path: FILE_NAMES,
    offset: ['start_line', 'line_start', 'from_line', 'start', 'start_line_one_indexed', '-n'],
    limit: ['line_count', 'num_lines', 'max_lines', 'lines', 'count'],
    character: ['column', 'char_offset', 'character_offset', 'start_column', 'start_character'],
    pages: ['page', 'page_range'],
  },
  adapt: adaptRead,
  description:
    'Read a text file, as numbered lines (number, tab, line): all of it, or the first lines of a long one. ' +
    'Also reads images, PDF pages and notebooks; a folder is listed. ' +
    'Read a file before you overwrite it.',
  input,

  title: ({ file_path }, shown) => `Read ${shown(file_path)}`,
  explores: 'file',
  results: 'read',
  access: ({ file_path }) => [{ kind: 'read', target: file_path }],

  async run(wanted, context) {
    const { file_path } = wanted;
    const { files, limits = fullLimits } = context;
    const stat = await files.stat(file_path);
    if (!stat) return fail(await explainMissing(file_path, files));
    if (stat.type === 'directory') {
      const entries = await files.list(file_path);
      return ok(listing(file_path, entries, { offset: pageSize(wanted).offset, characters: limits.names }), {
        summary: countOf('entry', entries.length),
      });
    }
    if (stat.type === 'other') {
      return fail(
        `${file_path} is a pipe, socket or device, not a regular file. If you need it, use a command with a timeout.`,
      );
    }
    const isImage = IMAGE_NAME.test(file_path) && stat.size <= MAX_IMAGE_BYTES;
    if (stat.size > MAX_WHOLE_BYTES && !isImage) return readPart(wanted, stat, context);

    const file = await files.read(file_path, ...(isImage ? [{ most: MAX_IMAGE_BYTES }] : []));
    const result = await show(wanted, file, context);
    if (result.success) noteSeen(context, file);
    return result;
  },
});

/** A file too large for memory: streams only the requested lines. */
async function readPart(
  wanted: Wanted,
  { size: bytes }: FileStat,
  { files, seen, limits }: ToolContext,
): Promise<ToolResult> {
  const { file_path, limit } = wanted;
  if (wanted.offset === undefined && limit === undefined && wanted.character === undefined) {
    return fail(
      `${file_path} is ${megabytes(bytes)} MB; only files up to 10 MB are read without offset or limit. ` +
        'Pass offset and limit to read part of it, or use Grep to find the lines you need.',
    );
  }
  const size = pageSize(wanted, limits);
  const { offset } = size;
  const { path: real, lines, more, sha256 } = await files.readLines(file_path, windowOf(size));
  if (sha256 !== null) seen.set(real, sha256);
  if (lines.length === 0) return fail(`Line ${offset + 1} is past the end of ${file_path}.`);
  if (isPastLine(lines, size)) return fail(pastLine(file_path, size));

  const { text, shown } = numberedPage(lines, size);
  const hasMore = shown < lines.length || more;
  const notes = [
    ...cutNote(lines.slice(0, shown), size),
    ...(hasMore && shown !== limit
      ? [`[more lines follow: continue with offset ${offset + shown + 1}]`]
      : []),
  ];
  return ok([text, ...notes].join('\n'), {
    metadata: { size: bytes, sha256 },
    summary: countOf('line', shown),
  });
}

function isPastLine([line]: readonly string[], { part }: PageSize): boolean {
  return line === '' && part.skip > 0;
}

function pastLine(file: string, { offset, part }: PageSize): string {
  return `Line ${offset + 1} of ${file} ends before character ${part.skip + 1}.`;
}

async function show(wanted: Wanted, file: FileContent, context: ToolContext): Promise<ToolResult> {
  const { file_path } = wanted;
  const { bytes } = file;
  const image = imageOf(bytes);
  if (image) return showImage(wanted.file_path, { image, file }, context.accepts);
  if (isPdf(bytes)) return showPdf(wanted, file, context);

  const encoding = detectEncoding(bytes);
  if (encoding === null) {
    return fail(`${file_path} is binary, not text (${bytes.length} bytes). Inspect it with a command.`);
  }
  const text = decodeText(bytes, encoding);
  const notebook = path.extname(file_path).toLowerCase() === '.ipynb' ? notebookOf(text) : null;
  if (notebook) return showNotebook(wanted, { notebook, file }, context);
  return showText(wanted, { text, encoding, file }, context.limits);
}

function showText(
  wanted: Wanted,
  { text, encoding, file }: { text: string; encoding: string; file: FileContent },
  limits: ToolContext['limits'],
): ToolResult {
  const { file_path, limit } = wanted;
  const size = pageSize(wanted, limits);
  const { offset } = size;
  const { lines, total } = pageOf(text, windowOf(size));
  const metadata = { lines: total, sha256: file.sha256, encoding };
  if (total === 0) return ok(`${file_path} is empty.`, { metadata, summary: countOf('line', 0) });
  if (offset >= total) return fail(`${file_path} has ${total} lines; line ${offset + 1} is past its end.`);
  if (isPastLine(lines, size)) return fail(pastLine(file_path, size));

  const page = numberedPage(lines, size);
  const end = offset + page.shown;
  const notes = [
    ...lfsNote(text),
    ...(encoding === 'windows-1252' ? ['[not UTF-8: read as windows-1252]'] : []),
    ...cutNote(lines.slice(0, page.shown), size),
    ...(page.shown === limit ? [] : moreLinesNote(total - end, end)),
  ];
  return ok([page.text, ...notes].join('\n'), { metadata, summary: countOf('line', page.shown, { total }) });
}
