import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A Markdown file; its path is relative to the repository root. */
export type Page = { file: string; text: string };

const FOLDERS = ['.', 'docs', 'examples', 'bench', '.github'];
const FENCE = /^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^\1\2$/gm;

/** Every Markdown file that people read. */
export async function readPages(root: string): Promise<Page[]> {
  const found = await Promise.all(
    FOLDERS.filter((folder) => existsSync(path.join(root, folder))).map(async (folder) => {
      const recursive = folder !== '.';
      const names = await readdir(path.join(root, folder), { recursive });
      return names.map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')));
    }),
  );
  const files = found.flat().filter((file) => file.endsWith('.md') && !file.includes('node_modules'));
  return Promise.all(
    files.sort().map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8') })),
  );
}

/** The anchor of each heading, as GitHub generates them: repeated headings get a number. */
export function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...text.replaceAll(FENCE, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => {
    const anchor = anchorOf(title);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** A message for each broken link. External URLs are only parsed, never requested. */
export function brokenLinks(pages: readonly Page[], root: string): string[] {
  return pages.flatMap((page) =>
    linksOf(page.text)
      .filter((target) => !leads(target, page, { pages, root }))
      .map((target) => `${page.file}: the link to ${target} is broken.`),
  );
}

function linksOf(text: string): string[] {
  const prose = text.replaceAll(FENCE, '').replaceAll(/(`+)[^`\n]+?\1/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^()\s>]*)>?(?:\s+"[^"]*")?\s*\)/g)];
  const named = [...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*(\S+)/gm)];
  const tags = [...prose.matchAll(/<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]*)"/g)];
  return [...inline, ...named, ...tags].map(([, target = '']) => target);
}

function leads(
  target: string,
  page: Page,
  { pages, root }: { pages: readonly Page[]; root: string },
): boolean {
  if (/^mailto:[^\s@]+@[^\s@]+$/.test(target)) return true;
  if (/^[a-z][a-z+.-]*:/i.test(target)) return /^https?:\/\/[^\s/]/.test(target) && URL.canParse(target);
  const [where = '', anchor] = target.split('#');
  const file =
    where === ''
      ? page.file
      : path.posix.join(path.posix.dirname(page.file), decodeURI(where)).replace(/\/$/, '');
  if (file.startsWith('..')) return false;
  const known = pages.find((other) => other.file === file);
  if (!known && !existsSync(path.join(root, file))) return false;
  return anchor === undefined || (known !== undefined && anchorsOf(known.text).includes(anchor));
}
