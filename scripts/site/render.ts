import path from 'node:path';
import hljs from 'highlight.js';
import { Marked, type Tokens } from 'marked';
import { anchorOf } from '../links.ts';

/** The text under one heading, for search. */
type Section = { heading: string; anchor: string; text: string };

export type Rendered = {
  title: string;
  html: string;
  sections: Section[];
  /** Repository files linked from the page that are not pages, relative to the repository root. */
  files: string[];
};

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Where each repository file is on the site. Code becomes a page. */
export function placeOf(file: string, pages: ReadonlySet<string>): string {
  const inDocs = path.posix.relative('docs', file);
  if (file === 'docs/README.md') return 'index.html';
  if (pages.has(file)) return `${path.posix.basename(file, '.md').toLowerCase()}.html`;
  if (!inDocs.startsWith('..')) return inDocs;
  return `files/${file}.html`;
}

/** Renders one Markdown page. `file` and `pages` are relative to the repository root. */
export function render(file: string, text: string, pages: ReadonlySet<string>): Rendered {
  const files = new Set<string>();
  const seen = new Map<string, number>();
  const sections: Section[] = [];
  let title = '';

  const rewrite = (target: string): string => {
    if (/^([a-z]+:|#)/i.test(target)) return target;
    const [where = '', anchor] = target.split('#');
    const wanted = path.posix.join(path.posix.dirname(file), where);
    const place = placeOf(wanted, pages);
    if (!pages.has(wanted)) files.add(wanted);
    return anchor === undefined ? place : `${place}#${anchor}`;
  };
  const uniqueAnchor = (words: string) => {
    const anchor = anchorOf(words);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
  const note = (words: string) => {
    const last = sections.at(-1);
    if (last) last.text = `${last.text} ${words}`.trim();
  };

  const marked = new Marked({
    gfm: true,
    walkTokens(token) {
      if (token.type === 'table') alignNumbers(token as Tokens.Table);
      if (token.type === 'code' || token.type === 'codespan') note(token.text);
      // Text with nested tokens is collected through them.
      else if (token.type === 'text' && !('tokens' in token)) note(String(token.text));
      else if (token.type === 'heading') {
        const words = plain(token as Tokens.Heading);
        const anchor = uniqueAnchor((token as Tokens.Heading).text);
        sections.push({ heading: words, anchor, text: '' });
        if (title === '') title = words;
      }
    },
    renderer: {
      heading({ tokens, depth }) {
        const anchor = nextAnchor();
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}">${inner}<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(rewrite(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: words }) {
        return `<img src="${escapeHtml(rewrite(href))}" alt="${escapeHtml(words)}" loading="lazy">`;
      },
      code({ text: code, lang = '' }) {
        return `<pre tabindex="0"><code>${highlight(code, lang.split(' ')[0] ?? '')}</code></pre>\n`;
      },
      // The pages are ours; anything that looks like a tag is literal text.
      html({ text: tag }) {
        return /^<!--/.test(tag) ? '' : escapeHtml(tag);
      },
    },
  });
  /** Headings are visited twice in the same order: by the walk, then by the renderer. */
  let next = 0;
  const nextAnchor = () => sections[next++]?.anchor ?? '';
  const html = (marked.parse(text) as string)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title, html, sections, files: [...files] };
}

/** Columns of numbers are aligned to the right, also where the page doesn't say so. */
function alignNumbers({ header, rows }: Tokens.Table): void {
  for (const [i, head] of header.entries()) {
    const column = rows.map((row) => row[i]).filter((cell) => cell !== undefined);
    const texts = column.map(({ text }) => text).filter((text) => text !== '');
    const isNumeric =
      texts.length > 0 && texts.every((text) => /^[-–]?[\d.,]*( ?(ms|s|KB|MB|GB|%))?$/.test(text));
    if (head.align === null && isNumeric) for (const cell of [head, ...column]) cell.align = 'right';
  }
}

export function highlight(code: string, language: string): string {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code);
}

function plain({ text }: Pick<Tokens.Heading, 'text'>): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
}
