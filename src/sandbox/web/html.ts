import { Parser } from 'htmlparser2';
import { MarkdownPage } from './markdown-page.ts';

const CHUNK = 64 * 1024;
/** A page nested deeper than this is not meant for readers; the rest is omitted. */
const MAX_DEPTH = 5_000;
/** A result shorter than this may have missed the content. */
const LEAST_LENGTH = 200;

/** Elements without readable text. */
const SILENT = [
  ...['audio', 'canvas', 'head', 'iframe', 'object', 'script', 'style', 'svg', 'template', 'video'],
  ...['button', 'dialog', 'select', 'textarea'],
];
/** Elements around the content of most pages. */
const CLUTTER = ['aside', 'footer', 'nav', 'noscript'];

/**
 * The content of an HTML page as Markdown: its main part if it marks one. Works in small steps, so that a
 * large page does not block the event loop and the signal can stop it.
 */
export async function htmlToMarkdown(html: string, base: URL, signal: AbortSignal): Promise<string> {
  const page = await readPage(html, { base, silent: [...SILENT, ...CLUTTER], signal });
  if (page.length >= LEAST_LENGTH) return page;
  const whole = await readPage(html, { base, silent: SILENT, signal });
  return whole.length > page.length ? whole : page;
}

type Reading = { base: URL; silent: readonly string[]; signal: AbortSignal };

async function readPage(html: string, { base, silent, signal }: Reading): Promise<string> {
  const page = new MarkdownPage(base);
  const skipped = new Set(silent);
  /** The closing function of each open element. Null for a skipped one, and for everything within it. */
  const open: ((() => void) | null)[] = [];
  let inTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title' && page.title === '') inTitle = true;
      if (name === 'base' && attributes.href) page.setBase(attributes.href);
      const isSilent = open.at(-1) === null || skipped.has(name) || isHidden(attributes);
      open.push(isSilent ? null : page.open(name, attributes));
    },
    ontext(text) {
      if (inTitle) page.title += text;
      else if (open.at(-1) !== null) page.say(text);
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
      open.pop()?.();
    },
  });
  for (let at = 0; at < html.length && open.length < MAX_DEPTH; at += CHUNK) {
    parser.write(html.slice(at, at + CHUNK));
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  parser.end();
  return page.text();
}

function isHidden({ hidden, style, 'aria-hidden': aria }: Record<string, string>): boolean {
  if (hidden !== undefined && hidden !== 'until-found') return true;
  return aria === 'true' || /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style ?? '');
}
