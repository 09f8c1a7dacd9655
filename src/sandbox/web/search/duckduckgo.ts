import { Parser } from 'htmlparser2';
import type { WebHit } from '../../../contract/web-search.ts';

/** What DuckDuckGo shows instead of results to clients that it takes for robots. */
const CHALLENGE = /anomaly-modal|cc=botnet/;

/** The results on the page for browsers without scripts; null if it is another page. */
export function duckduckgoHits(html: string): WebHit[] | null {
  if (CHALLENGE.test(html)) return null;
  const hits: WebHit[] = [];
  let isResultPage = false;
  /** The part of the last hit that the current text belongs to. */
  let into: 'title' | 'snippet' | null = null;
  const parser = new Parser({
    onopentag(name, { class: classes = '', href = '', id }) {
      if (id === 'links' || /\b(results|no-results)\b/.test(classes)) isResultPage = true;
      if (name !== 'a') return;
      if (/\bresult__a\b/.test(classes)) {
        hits.push({ title: '', url: targetOf(href), snippet: '' });
        into = 'title';
      } else into = /\bresult__snippet\b/.test(classes) ? 'snippet' : null;
    },
    ontext(text) {
      const hit = hits.at(-1);
      if (hit && into !== null) hit[into] += text;
    },
    onclosetag(name) {
      if (name === 'a') into = null;
    },
  });
  parser.end(html);
  if (!isResultPage) return null;
  // Advertisements lead to DuckDuckGo itself.
  return hits.filter(({ url }) => url !== '' && !/^https?:\/\/([^/]+\.)?duckduckgo\.com\//.test(url));
}

/** A link leads through DuckDuckGo, with the target as a parameter. */
function targetOf(href: string): string {
  const address = href.startsWith('//') ? `https:${href}` : href;
  if (!URL.canParse(address)) return '';
  return new URL(address).searchParams.get('uddg') ?? address;
}
