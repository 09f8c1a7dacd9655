import { Blocks } from './markdown-blocks.ts';
import { tableToMarkdown } from './markdown-table.ts';

/** A main part shorter than this counts as empty. */
const MIN_MAIN = 200;
/** Nested tables are used for layout; deeper than this they become plain text. */
const MAX_TABLES = 4;

const BLOCKS = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main nav noscript ol p pre search section summary ' +
    'table tbody td tfoot th thead tr ul'
  ).split(' '),
);

type Attributes = Record<string, string>;
type Close = () => void;
type Table = { rows: string[][]; outer: Blocks };

/** Converts the tags and text of a page to Markdown as they arrive. */
export class MarkdownPage {
  title = '';
  #base: URL;
  readonly #root = new Blocks();
  #blocks = this.#root;
  /** Null for a table whose cells are plain text. */
  readonly #tables: (Table | null)[] = [];
  /** The number of the next item; null in an unordered list. */
  readonly #lists: (number | null)[] = [];
  #words: string[] = [];
  /** Whether the text ends with a space, which absorbs following ones. */
  #endsBlank = true;
  #link: { href: string; from: number; isAnchor: boolean } | null = null;
  #heading = 0;
  #inlineCode = 0;
  #code: { language: string; parts: string[] } | null = null;
  #main: { from: number; to: number } | null = null;

  constructor(base: URL) {
    this.#base = base;
  }

  setBase(href: string): void {
    if (URL.canParse(href, this.#base)) this.#base = new URL(href, this.#base);
  }

  /** Returns the function to call when the element ends. */
  open(name: string, attributes: Attributes): Close {
    if (this.#code) return this.#openInCode(name, attributes);
    if (!BLOCKS.has(name)) return this.#openInline(name, attributes);
    this.#endBlock();
    const close = this.#openBlock(name, attributes);
    return () => {
      this.#endBlock();
      close?.();
    };
  }

  say(text: string): void {
    if (this.#code) {
      this.#code.parts.push(text);
      return;
    }
    const shown = text.replaceAll(/[\u00ad\u200b\ufeff]+/g, '').replaceAll(/\s+/g, ' ');
    const words = this.#endsBlank ? shown.trimStart() : shown;
    if (words !== '') this.#put(words);
  }

  text(): string {
    this.#endBlock();
    const main = this.#main && this.#root.text(this.#main.from, this.#main.to);
    const body = main !== null && main.length >= MIN_MAIN ? main : this.#root.text();
    const title = this.title.replaceAll(/\s+/g, ' ').trim();
    if (title === '' || body.startsWith(`# ${title}`)) return body;
    return `# ${title}\n\n${body}`.trim();
  }

  #openBlock(name: string, attributes: Attributes): Close | undefined {
    switch (name) {
      case 'main':
        return this.#openMain();
      case 'hr':
        this.#blocks.add('---');
        return undefined;
      case 'pre':
        this.#code = { language: languageOf(attributes), parts: [] };
        return () => this.#endCode();
      case 'ul':
      case 'ol':
        this.#lists.push(name === 'ol' ? Number.parseInt(attributes.start ?? '1', 10) || 1 : null);
        return () => this.#lists.pop();
      case 'li':
        return this.#blocks.enter({ prefix: '  ', marker: this.#nextMarker() });
      case 'blockquote':
        return this.#blocks.enter({ prefix: '> ' });
      case 'table':
        return this.#openTable();
      case 'tr':
        this.#tables.at(-1)?.rows.push([]);
        return undefined;
      case 'td':
      case 'th':
        return this.#openCell();
      default:
        if (!/^h[1-6]$/.test(name)) return undefined;
        this.#heading = Number(name.charAt(1));
        return () => {
          this.#heading = 0;
        };
    }
  }

  #openInline(name: string, attributes: Attributes): Close {
    switch (name) {
      case 'br':
        this.#put('\n');
        return nothing;
      case 'img':
        if (attributes.alt?.trim()) this.say(` [image: ${attributes.alt.trim()}] `);
        return nothing;
      case 'a':
        this.#endLink();
        this.#link = { ...this.#targetOf(attributes.href), from: this.#words.length };
        return () => this.#endLink();
      case 'code':
      case 'kbd':
      case 'samp':
        this.#inlineCode++;
        this.#put('`');
        return () => {
          this.#inlineCode--;
          this.#put('`');
        };
      default:
        return nothing;
    }
  }

  #openInCode(name: string, attributes: Attributes): Close {
    const code = this.#code;
    if (!code) return nothing;
    if (name === 'code') code.language ||= languageOf(attributes);
    const isInLine = code.parts.length > 0 && !code.parts.at(-1)?.endsWith('\n');
    if (name === 'br' || (BLOCKS.has(name) && isInLine)) code.parts.push('\n');
    return nothing;
  }

  #openMain(): Close | undefined {
    if (this.#main || this.#blocks !== this.#root) return undefined;
    const main = { from: this.#root.length, to: Number.POSITIVE_INFINITY };
    this.#main = main;
    return () => {
      main.to = this.#root.length;
    };
  }

  #openTable(): Close {
    const table = this.#tables.length < MAX_TABLES ? { rows: [], outer: this.#blocks } : null;
    this.#tables.push(table);
    return () => {
      this.#tables.pop();
      const text = table ? tableToMarkdown(table.rows) : '';
      if (text !== '') this.#blocks.add(text);
    };
  }

  #openCell(): Close | undefined {
    const table = this.#tables.at(-1);
    if (!table) return undefined;
    const cell = new Blocks();
    this.#blocks = cell;
    return () => {
      this.#blocks = table.outer;
      if (table.rows.length === 0) table.rows.push([]);
      table.rows.at(-1)?.push(cell.text());
    };
  }

  #nextMarker(): string {
    const number = this.#lists.at(-1) ?? null;
    if (number === null) return '- ';
    this.#lists[this.#lists.length - 1] = number + 1;
    return `${number}. `;
  }

  /** Without a URL for links to this page, or to a script. */
  #targetOf(href: string | undefined): { href: string; isAnchor: boolean } {
    if (href === undefined || !URL.canParse(href, this.#base)) return { href: '', isAnchor: false };
    const url = new URL(href, this.#base);
    const isAnchor = href.startsWith('#');
    const leads = /^(https?|mailto):$/.test(url.protocol) && !isAnchor && this.#inlineCode === 0;
    return { href: leads ? url.href : '', isAnchor };
  }

  #put(words: string): void {
    this.#words.push(words);
    this.#endsBlank = /\s$/.test(words);
  }

  #endLink(): void {
    this.#wrapLink();
    this.#link = null;
  }

  /** A link around several blocks is attached to the first of them. */
  #wrapLink(): void {
    const link = this.#link;
    if (!link) return;
    const inner = this.#words.splice(link.from).join('');
    const text = inner.replaceAll(/\s+/g, ' ').trim();
    if (link.isAnchor && /^[¶#§🔗]$/u.test(text)) return;
    if (text === '' || link.href === '') {
      this.#words.push(inner);
      return;
    }
    const [before] = inner.match(/^\s*/) ?? [''];
    const [after] = inner.match(/\s*$/) ?? [''];
    this.#words.push(`${before}[${text}](${link.href})${after}`);
    link.href = '';
  }

  #endBlock(): void {
    this.#wrapLink();
    if (this.#link) this.#link.from = 0;
    const text = this.#words.join('').trim();
    this.#words = [];
    this.#endsBlank = true;
    if (text === '') return;
    const mark = '#'.repeat(this.#heading);
    this.#blocks.add(mark === '' ? text : `${mark} ${text.replaceAll(/\s+/g, ' ')}`);
  }

  #endCode(): void {
    const code = this.#code;
    this.#code = null;
    const text =
      code?.parts
        .join('')
        .replace(/^\r?\n/, '')
        .trimEnd() ?? '';
    if (!code || text === '') return;
    const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
    const fence = '`'.repeat(longest + 1);
    this.#blocks.add(`${fence}${code.language}\n${text}\n${fence}`);
  }
}

function nothing(): void {
  // Nothing to do at the end.
}

function languageOf({ class: names = '' }: Attributes): string {
  return names.match(/(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)/)?.[1] ?? '';
}
