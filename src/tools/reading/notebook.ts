import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { countOf } from '../../contract/display.ts';
import type { ImagePart } from '../../contract/message.ts';
import { type FileContent, fail, ok, type ToolContext, type ToolResult } from '../../contract/tool.ts';
import { imageOf } from '../../lib/images/image-kind.ts';
import { cutLine, startOf } from '../../lib/text/cut-line.ts';
import { parseJson } from '../../lib/text/json.ts';
import { imagePart } from './image.ts';
import { moreLinesNote, numberedPage, pageSize } from './page.ts';

/** Maximum characters per cell output, and images per answer. */
const MAX_OUTPUT = 2_000;
const MAX_PICTURES = 5;

const words = () =>
  z.union([z.string(), z.array(z.string())]).transform((text) =>
    [text]
      .flat()
      .join('')
      .replaceAll(/\p{Surrogate}/gu, '\uFFFD'),
  );

const output = () =>
  z.object({
    output_type: z.string(),
    text: words().optional(),
    data: z.record(z.string(), z.unknown()).optional(),
    traceback: words().optional(),
    ename: z.string().optional(),
    evalue: z.string().optional(),
  });

const notebookSchema = () =>
  z.object({
    cells: z.array(
      z.object({
        cell_type: z.string(),
        source: words().default(''),
        outputs: z.array(output()).default([]),
      }),
    ),
  });

type Notebook = z.output<ReturnType<typeof notebookSchema>>;
type Output = z.output<ReturnType<typeof output>>;

/** A displayed line of a notebook; `image` marks the position of an image. */
type Line = { text: string; image?: ImagePart };

/** Null if the text is not a notebook in the current format; it can still be read as text. */
export function notebookOf(text: string): Notebook | null {
  return notebookSchema().safeParse(parseJson(text)).data ?? null;
}

/** Cells with their numbers, sources and outputs, as numbered lines that are paged like any text. */
export function showNotebook(
  wanted: { file_path: string; offset?: number | undefined; limit?: number | undefined },
  { notebook, file }: { notebook: Notebook; file: FileContent },
  { accepts, limits }: Pick<ToolContext, 'accepts' | 'limits'>,
): ToolResult {
  const { file_path, limit } = wanted;
  const size = pageSize(wanted, limits);
  const { offset } = size;
  const cells = notebook.cells.length;
  const extra = { metadata: { cells, sha256: file.sha256 }, summary: countOf('cell', cells) };
  const lines = notebook.cells.flatMap((cell, i) => cellLines(cell, i + 1));
  if (lines.length === 0) return ok(`${file_path} is a notebook without cells.`, extra);
  if (offset >= lines.length) {
    return fail(`${file_path} has ${lines.length} lines as shown; line ${offset + 1} is past its end.`);
  }

  const window = lines.slice(offset, offset + size.lines);
  const page = numberedPage(
    window.map(({ text }) => cutLine(text)),
    size,
  );
  const end = offset + page.shown;
  const pictures = window.slice(0, page.shown).flatMap(({ image }) => image ?? []);
  const images = accepts.images ? pictures.slice(0, MAX_PICTURES) : [];
  const left = pictures.length - images.length;
  const notes = [
    '[notebook shown as text; the file itself is JSON, and Edit works on that]',
    ...(images.length > 0
      ? [`[the first ${images.length === 1 ? 'image is' : `${images.length} images are`} attached]`]
      : []),
    ...(left > 0 && accepts.images
      ? [`[${left} more ${left === 1 ? 'image is' : 'images are'} not attached: read fewer lines at a time]`]
      : []),
    ...(page.shown === limit ? [] : moreLinesNote(lines.length - end, end)),
  ];
  return ok([page.text, ...notes].join('\n'), { ...extra, ...(images.length > 0 && { images }) });
}

function cellLines({ cell_type, source, outputs }: Notebook['cells'][number], number: number): Line[] {
  return [
    { text: `--- cell ${number} (${cell_type}) ---` },
    ...textLines(source),
    ...outputs.flatMap((each) => [{ text: `--- output of cell ${number} ---` }, ...outputLines(each)]),
  ];
}

function outputLines({ text, data = {}, traceback, ename, evalue }: Output): Line[] {
  const plain = text ?? traceback ?? words().safeParse(data['text/plain']).data;
  const pictures = Object.entries(data).filter(([type]) => type.startsWith('image/'));
  return [
    ...(ename === undefined ? [] : [{ text: `${ename}: ${evalue ?? ''}` }]),
    ...(plain === undefined ? [] : textLines(bounded(plain))),
    ...pictures.map(([type, value]) => pictureLine(type, value)),
  ];
}

function pictureLine(type: string, value: unknown): Line {
  const bytes = Buffer.from(words().safeParse(value).data ?? '', 'base64');
  const image = imageOf(bytes);
  if (!image?.size) return { text: `[${type}]` };
  const { width, height } = image.size;
  const text = `[${type}, ${width}x${height} pixels]`;
  return { text, image: imagePart(image.mediaType, bytes) };
}

function bounded(text: string): string {
  const plain = stripVTControlCharacters(text);
  if (plain.length <= MAX_OUTPUT) return plain;
  const start = startOf(plain, MAX_OUTPUT);
  return `${start}\n[output cut: ${plain.length - start.length} more characters]`;
}

function textLines(text: string): Line[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ text: line }));
}
