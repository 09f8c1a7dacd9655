import path from 'node:path';
import { escapeHtml } from './render.ts';

export type NavGroup = { title: string; pages: { title: string; place: string }[] };

export type PageParts = {
  title: string;
  html: string;
  /** Relative to the site root. */
  place: string;
  nav: readonly NavGroup[];
};

/** A complete page. It works without its script, and loads nothing from other hosts. */
export function pageHtml({ title, html, place, nav }: PageParts): string {
  const base = '../'.repeat(place.split('/').length - 1);
  const pages = nav.flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.place === place);
  const before = at > 0 ? pages[at - 1] : undefined;
  const after = at >= 0 ? pages[at + 1] : undefined;
  const link = (page: (typeof pages)[number], words: string, rel: string) =>
    `<a rel="${rel}" href="${base}${page.place}">${words}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ai-code-assistant</title>
<link rel="stylesheet" href="${base}style.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="side">
<div class="brand"><a href="${base}index.html">ai-code-assistant</a><span><button class="menu" type="button">Menu</button> <button class="theme" type="button" title="Light or dark">◐</button></span></div>
<input class="search" type="search" placeholder="Search (press /)" aria-label="Search" hidden>
<ul class="found" aria-live="polite"></ul>
<nav aria-label="Pages">
${nav.map((group) => groupHtml(group, { place, base })).join('\n')}
</nav>
</div>
<main id="content">
${html}
<div class="onward"><span>${before ? link(before, `← ${escapeHtml(before.title)}`, 'prev') : ''}</span><span>${after ? link(after, `${escapeHtml(after.title)} →`, 'next') : ''}</span></div>
</main>
<script src="${base}page.js" data-base="${base}"></script>
</body>
</html>
`;
}

function groupHtml({ title, pages }: NavGroup, { place, base }: { place: string; base: string }): string {
  const items = pages.map((page) => {
    const current = page.place === place ? ' aria-current="page"' : '';
    return `<li><a href="${base}${page.place}"${current}>${escapeHtml(page.title)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

/** A repository file as a page. */
export function fileHtml(file: string, highlighted: string): string {
  return `<h1>${escapeHtml(path.posix.basename(file))}</h1>\n<p><code>${escapeHtml(file)}</code></p>\n<pre tabindex="0"><code>${highlighted}</code></pre>`;
}
