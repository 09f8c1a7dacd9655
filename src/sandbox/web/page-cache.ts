import type { WebPage } from '../../contract/tool.ts';

const LIFETIME_MS = 5 * 60_000;
const MAX_CHARACTERS = 20_000_000;

export type PageCache = {
  find(url: string): WebPage | undefined;
  keep(url: string, page: WebPage): void;
};

/**
 * Keeps pages for five minutes, so that a model can page through one; drops the oldest if there are too many.
 */
export function createPageCache(now: () => number): PageCache {
  const pages = new Map<string, { page: WebPage; until: number }>();
  let characters = 0;

  function drop(url: string): void {
    characters -= pages.get(url)?.page.text.length ?? 0;
    pages.delete(url);
  }

  return {
    find(url) {
      for (const [known, { until }] of pages) if (until <= now()) drop(known);
      return pages.get(url)?.page;
    },
    keep(url, page) {
      drop(url);
      pages.set(url, { page, until: now() + LIFETIME_MS });
      characters += page.text.length;
      for (const known of pages.keys()) {
        if (characters <= MAX_CHARACTERS) break;
        drop(known);
      }
    },
  };
}
