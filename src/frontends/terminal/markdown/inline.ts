import { Lexer, type Token } from 'marked';
import { sanitize } from '../text/sanitize.ts';
import type { Theme } from '../theme/theme.ts';
import type { Span, Style } from '../view/types.ts';

export type InlineOptions = { theme: Theme; links: boolean };

const NAMED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
const MAX_HREF = 2000;
const WEB = /^(https?|mailto):/i;

/** The inline content of one block: emphasis, code, links. HTML is plain text. Newlines are kept. */
export function inlineSpans(text: string, options: InlineOptions, base?: Style): Span[] {
  if (!/[*_`~<[\]\\&:@]|www\./.test(text)) return [spanOf(sanitize(text), base)];
  const tokens = Lexer.lexInline(text, { gfm: true, breaks: true });
  return tokens.flatMap((token) => spansOf(token, options, base)).filter(({ text: words }) => words !== '');
}

function spansOf(token: Token, options: InlineOptions, base: Style | undefined): Span[] {
  const { styles, depth } = options.theme;
  const inner = (style: Style): Span[] =>
    ('tokens' in token ? (token.tokens ?? []) : []).flatMap((child) =>
      spansOf(child, options, { ...base, ...style }),
    );
  switch (token.type) {
    case 'br':
      return [{ text: '\n' }];
    case 'strong':
      return inner(styles.strong);
    case 'em':
      return inner(styles.emphasis);
    case 'del':
      // A single tilde means "about" far more often than strikethrough.
      return token.raw.startsWith('~~') ? inner(styles.deleted) : [spanOf(sanitize(token.raw), base)];
    case 'codespan': {
      const code = depth === 'none' ? token.raw : token.text;
      return [spanOf(sanitize(code), { ...base, ...styles.code })];
    }
    case 'link':
    case 'image':
      return linkSpans(token as LinkToken, options, base);
    case 'escape':
      return [spanOf(sanitize(token.text), base)];
    case 'text':
      return 'tokens' in token && token.tokens ? inner({}) : [spanOf(decoded(token.raw), base)];
    default:
      return [spanOf(sanitize(token.raw), base)];
  }
}

type LinkToken = { type: string; raw: string; href: string; text: string };

/** If the URL cannot be clicked, or the link text claims another one, it is shown next to the text. */
function linkSpans(
  { type, raw, href, text }: LinkToken,
  options: InlineOptions,
  base: Style | undefined,
): Span[] {
  const { styles } = options.theme;
  const address = addressOf(href);
  const label = inlineLabel(text, options, { ...base, ...styles.link });
  if (label.length === 0 || raw === '') return [spanOf(sanitize(raw), base)];
  const words = label.map((span) => span.text).join('');
  const same = words === href || `mailto:${words}` === href || sanitize(decoded(href)) === words;
  const clickable = options.links && address !== null && type === 'link';
  const linked = clickable
    ? label.map((span) => ({ ...span, style: { ...span.style, href: address } }))
    : label;
  if (same || (clickable && !/:\/\/|\.\w{2}/.test(words))) return linked;
  return [...linked, spanOf(` (${sanitize(decoded(href))})`, { ...base, ...styles.muted })];
}

function inlineLabel(text: string, options: InlineOptions, style: Style): Span[] {
  const tokens = Lexer.lexInline(text, { gfm: true, breaks: false });
  return tokens.flatMap((token) =>
    token.type === 'link' || token.type === 'image'
      ? [spanOf(sanitize(token.text), style)]
      : spansOf(token, { ...options, links: false }, style),
  );
}

/** A URL that is safe for a terminal: http(s) or mailto, in plain ASCII. */
function addressOf(href: string): string | null {
  if (!WEB.test(href) || href.length > MAX_HREF || !URL.canParse(href)) return null;
  const address = new URL(href).href;
  return /^[!-~]+$/.test(address) ? address : null;
}

/** A character reference may encode any character, including control characters: sanitized last. */
function decoded(text: string): string {
  if (!text.includes('&')) return sanitize(text);
  const plain = text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|\w{2,4}|#39);/gi, (entity, decimal, hex) => {
    const named = NAMED[entity.toLowerCase()];
    if (named !== undefined) return named;
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : Number.NaN;
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
  return sanitize(plain).replaceAll('\n', ' ');
}

function spanOf(text: string, style: Style | undefined): Span {
  return style && Object.keys(style).length > 0 ? { text, style } : { text };
}
