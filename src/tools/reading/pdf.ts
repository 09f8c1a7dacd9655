import type { PDFiumDocument, PDFiumPage } from '@hyzyla/pdfium';
import { countOf } from '../../contract/display.ts';
import type { ImagePart } from '../../contract/message.ts';
import { type FileContent, fail, ok, type ToolContext, type ToolResult } from '../../contract/tool.ts';
import { usualImageLimits } from '../../lib/images/fit-image.ts';
import { fullLimits } from '../../lib/results/result-limits.ts';
import { startOf } from '../../lib/text/cut-line.ts';
import { imagePart } from './image.ts';
import { encodePng, halved } from './png.ts';

/** Pages per answer when they are also rendered, and when they are text only. */
const MAX_DRAWN_PAGES = 5;
const MAX_TEXT_PAGES = 20;
/** Total bytes of all images in one answer: requests have a limit, too. */
const MAX_DRAWN_BYTES = 5_000_000;
/** Pixels on a page's longer side: small print is readable, and vendors do not scale it down. */
const LONG_SIDE = 1_568;

type Wanted = { file_path: string; pages?: string | undefined };

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes('%PDF-');
}

/** The text of pages, and for a model with image support the rendered pages. */
export async function showPdf(
  wanted: Wanted,
  file: FileContent,
  context: Pick<ToolContext, 'accepts' | 'limits'>,
): Promise<ToolResult> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  const library = await PDFiumLibrary.init();
  try {
    const opened = await library.loadDocument(file.bytes).then(
      (pdf) => ({ pdf }),
      (error: unknown) => ({ because: error instanceof Error ? error.message : String(error) }),
    );
    if ('because' in opened) return fail(`${wanted.file_path} cannot be read as a PDF: ${opened.because}.`);
    return await showPages(wanted, { pdf: opened.pdf, sha256: file.sha256 }, context);
  } finally {
    library.destroy();
  }
}

async function showPages(
  { file_path, pages }: Wanted,
  { pdf, sha256 }: { pdf: PDFiumDocument; sha256: string },
  { accepts, limits = fullLimits }: Pick<ToolContext, 'accepts' | 'limits'>,
): Promise<ToolResult> {
  const total = pdf.getPageCount();
  const range = rangeOf(pages, total);
  if (!range)
    return fail(`${file_path} has ${total} pages; pass pages as one of them or a range, such as 1-5.`);

  const last = Math.min(range.last, range.first + (accepts.images ? MAX_DRAWN_PAGES : MAX_TEXT_PAGES) - 1);
  const texts: string[] = [];
  const images: ImagePart[] = [];
  let characters = 0;
  let drawnBytes = 0;
  let next = range.first;
  for (; next <= last; next++) {
    const text = pageText(pdf.getPage(next - 1), { number: next, total, characters: limits.read });
    const drawing = accepts.images ? await draw(pdf.getPage(next - 1)) : null;
    characters += text.length + 1;
    drawnBytes += drawing?.length ?? 0;
    if (next > range.first && (characters > limits.read || drawnBytes > MAX_DRAWN_BYTES)) break;
    texts.push(text);
    if (drawing) images.push(imagePart('image/png', drawing));
  }
  const left = range.last - next + 1;
  const note =
    left > 0
      ? [`[${left} more ${left === 1 ? 'page' : 'pages'}: pass pages ${next}-${range.last} to continue]`]
      : [];
  const extra = { metadata: { pages: total, sha256 }, summary: countOf('page', texts.length, { total }) };
  return ok([...texts, ...note].join('\n'), { ...extra, ...(images.length > 0 && { images }) });
}

/** Page numbers start at 1; null if they are not pages of this document. */
function rangeOf(pages: string | undefined, total: number): { first: number; last: number } | null {
  if (pages === undefined) return total > 0 ? { first: 1, last: total } : null;
  const found = /^\s*(\d+)\s*(?:-\s*(\d*)\s*)?$/.exec(pages);
  if (!found) return null;
  const first = Number(found[1]);
  const end = found[2] === undefined ? first : found[2] === '' ? total : Number(found[2]);
  return first >= 1 && first <= total && end >= first ? { first, last: Math.min(end, total) } : null;
}

function pageText(
  page: PDFiumPage,
  { number, total, characters }: { number: number; total: number; characters: number },
): string {
  const text = page
    .getText()
    .replaceAll(/\r\n?/g, '\n')
    // A hyphenated word at a line end, as marked by the library.
    .replaceAll('\u0002', '-')
    .replaceAll('\uFFFE', '-')
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
    .trim();
  const start = startOf(text, characters - 100);
  const left = text.length - start.length;
  const cut = left > 0 ? `${start}\n[page cut: ${left} more characters]` : text;
  return `--- page ${number} of ${total} ---\n${cut || '(no text on this page: it may be a scan or a drawing)'}`;
}

/** Renders the page, scaled down until vendors accept it; null if there is nothing to draw. */
async function draw(page: PDFiumPage): Promise<Uint8Array | null> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const longer = Math.max(originalWidth, originalHeight);
  if (!(originalWidth >= 1 && originalHeight >= 1)) return null;
  const { width, height, data } = await page.render({ scale: LONG_SIDE / longer, render: 'bitmap' });
  let bitmap = { width, height, rgba: data };
  for (;;) {
    const png = await encodePng(bitmap);
    if (png.length <= usualImageLimits.maxBytes) return png;
    bitmap = halved(bitmap);
  }
}
