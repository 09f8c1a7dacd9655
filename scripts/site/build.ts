import { copyFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { grouped, INDEX, pagesOutside } from './order.ts';
import { highlight, placeOf, render } from './render.ts';
import { fileHtml, type NavGroup, pageHtml } from './template.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  json: 'json',
  yml: 'yaml',
  md: 'markdown',
  sh: 'bash',
};

/** Writes the documentation of the repository at `root` as a folder for any static host. */
export async function buildSite(root: string, out: string): Promise<{ pages: number; bytes: number }> {
  const docs = await readdir(path.join(root, 'docs'));
  const groups = grouped([...docs.filter((name) => name.endsWith('.md')).sort(), ...pagesOutside()]);
  const files = [INDEX, ...groups.flatMap((group) => group.files)].map((file) =>
    path.posix.join('docs', file),
  );
  const pages = new Set(files);
  const rendered = new Map(
    await Promise.all(
      files.map(async (file) => {
        const text = await readFile(path.join(root, file), 'utf8');
        return [file, render(file, text, pages)] as const;
      }),
    ),
  );
  const nav: NavGroup[] = groups.map(({ title, files: members }) => ({
    title,
    pages: members.map((member) => {
      const file = path.posix.join('docs', member);
      return { title: rendered.get(file)?.title ?? member, place: placeOf(file, pages) };
    }),
  }));

  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  let bytes = 0;
  const write = async (place: string, text: string) => {
    bytes += Buffer.byteLength(text);
    await mkdir(path.dirname(path.join(out, place)), { recursive: true });
    await writeFile(path.join(out, place), text);
  };
  for (const [file, { title, html }] of rendered) {
    const place = placeOf(file, pages);
    await write(place, pageHtml({ title, html, place, nav }));
  }
  // The index and the tables of figures would be found by almost every word.
  const searched = [...rendered].filter(([file]) => !['docs/README.md', 'bench/results.md'].includes(file));
  const index = searched.flatMap(([file, { title, sections }]) =>
    sections.map(({ heading, anchor, text }) => ({
      page: title,
      heading,
      href: `${placeOf(file, pages)}#${anchor}`,
      text,
    })),
  );
  await write('search-index.js', `globalThis.searchIndex = ${JSON.stringify(index)};\n`);
  for (const file of new Set([...rendered.values()].flatMap((page) => page.files))) await writeLinked(file);
  for (const name of ['style.css', 'page.js'])
    await copyFile(path.join(root, 'scripts/site', name), path.join(out, name));
  return { pages: rendered.size, bytes };

  /** Writes linked files that are not pages: images and schemas unchanged, code as a page. */
  async function writeLinked(file: string): Promise<void> {
    const source = path.join(root, file);
    const place = placeOf(file, pages);
    const isFolder = (await stat(source)).isDirectory();
    if (!isFolder && !place.startsWith('files/')) {
      await mkdir(path.dirname(path.join(out, place)), { recursive: true });
      await cp(source, path.join(out, place));
      return;
    }
    const text = isFolder ? (await readdir(source)).join('\n') : await readFile(source, 'utf8');
    const code = highlight(text, LANGUAGES[path.extname(file).slice(1)] ?? '');
    await write(place, pageHtml({ title: file, html: fileHtml(file, code), place, nav }));
  }
}
