/**
 * A page found on the web. `snippet` is empty if the service gave none. `domain` is that of the page, if the
 * address leads through another host.
 */
export type WebHit = { title: string; url: string; snippet: string; domain?: string };

/** Domains include their subdomains. Empty lists restrict nothing. */
export type WebQuery = {
  query: string;
  allowedDomains: readonly string[];
  blockedDomains: readonly string[];
};

/** `by` is the service or model that searched; `summary` is what a searching model wrote about the pages. */
export type WebSearchResult = { by: string; hits: WebHit[]; summary?: string };

/** A service with an API for searching the web. */
export type SearchService = {
  name: 'brave' | 'tavily' | 'exa' | 'searxng' | 'duckduckgo';
  label: string;
  needs: 'key' | 'address' | 'nothing';
  /** Environment variables; the first one set wins. */
  keyEnv: readonly string[];
  addressEnv?: readonly string[];
  /** Where to get a key. */
  keyUrl?: string;
  /** Empty if only the user can know it. */
  address: string;
  /** Dollars per search at the usual rate. */
  usd: number;
};

/** In the order in which `auto` prefers them; what needs nothing is used only if the user names it. */
export const searchServices: readonly SearchService[] = [
  {
    name: 'searxng',
    label: 'SearXNG',
    needs: 'address',
    keyEnv: [],
    addressEnv: ['SEARXNG_URL'],
    address: '',
    usd: 0,
  },
  {
    name: 'brave',
    label: 'Brave Search',
    needs: 'key',
    keyEnv: ['BRAVE_API_KEY', 'BRAVE_SEARCH_API_KEY'],
    keyUrl: 'https://api-dashboard.search.brave.com',
    address: 'https://api.search.brave.com/res/v1/web/search',
    usd: 0.005,
  },
  {
    name: 'tavily',
    label: 'Tavily',
    needs: 'key',
    keyEnv: ['TAVILY_API_KEY'],
    keyUrl: 'https://app.tavily.com',
    address: 'https://api.tavily.com/search',
    usd: 0.008,
  },
  {
    name: 'exa',
    label: 'Exa',
    needs: 'key',
    keyEnv: ['EXA_API_KEY'],
    keyUrl: 'https://dashboard.exa.ai/api-keys',
    address: 'https://api.exa.ai/search',
    usd: 0.007,
  },
  {
    name: 'duckduckgo',
    label: 'DuckDuckGo',
    needs: 'nothing',
    keyEnv: [],
    address: 'https://html.duckduckgo.com/html/',
    usd: 0,
  },
];

/** The service that a session searches with: `model` is the search of the model's own vendor. */
export type SearchBackend =
  | { type: 'model' }
  | { type: 'service'; service: SearchService; address: string; key?: string; isOwnAddress: boolean };

export const searchBackendNames = [
  'auto',
  'off',
  'model',
  'searxng',
  'brave',
  'tavily',
  'exa',
  'duckduckgo',
] as const;
