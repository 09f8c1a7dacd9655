import type { TextSource } from '../../contract/provenance.ts';

/** How many links of pages the model may follow in a run: choosing among links could spell out data. */
const MAX_FOLLOWED = 5;
/** The same for public pages: some sites show everybody how often each page was read. */
const MAX_PUBLIC = 20;

/**
 * Hosts of documentation, packages and public code. Whoever wrote a page cannot see who requests it there, so that
 * a few plain paths tell an attacker next to nothing.
 */
const PUBLIC_HOSTS: ReadonlySet<string> = new Set([
  ...['nodejs.org', 'developer.mozilla.org', 'www.typescriptlang.org', 'docs.npmjs.com', 'www.npmjs.com'],
  ...['registry.npmjs.org', 'react.dev', 'vuejs.org', 'angular.dev', 'svelte.dev', 'nextjs.org', 'vite.dev'],
  ...['vitest.dev', 'jestjs.io', 'eslint.org', 'prettier.io', 'tailwindcss.com', 'expressjs.com', 'zod.dev'],
  ...['docs.python.org', 'pypi.org', 'peps.python.org', 'docs.pytest.org', 'numpy.org', 'pandas.pydata.org'],
  ...['docs.djangoproject.com', 'flask.palletsprojects.com', 'fastapi.tiangolo.com', 'pytorch.org'],
  ...[
    'doc.rust-lang.org',
    'docs.rs',
    'crates.io',
    'go.dev',
    'pkg.go.dev',
    'docs.oracle.com',
    'kotlinlang.org',
  ],
  ...['docs.spring.io', 'maven.apache.org', 'docs.gradle.org', 'ruby-doc.org', 'rubygems.org', 'www.php.net'],
  ...['learn.microsoft.com', 'developer.apple.com', 'developer.android.com', 'cloud.google.com'],
  ...['docs.aws.amazon.com', 'kubernetes.io', 'docs.docker.com', 'docs.github.com', 'docs.gitlab.com'],
  ...['git-scm.com', 'www.postgresql.org', 'dev.mysql.com', 'sqlite.org', 'redis.io', 'nginx.org'],
  ...['github.com', 'raw.githubusercontent.com', 'gitlab.com', 'stackoverflow.com', 'en.wikipedia.org'],
  ...['datatracker.ietf.org', 'www.rfc-editor.org', 'www.w3.org', 'man7.org', 'en.cppreference.com'],
]);

/** No query, nothing encoded, no long words: a path that a person could type. */
const PLAIN_PATH = /^(\/[\w.@~+!-]{0,48}){1,12}$/;
const MAX_PATH = 160;
/** Files that are counted each time somebody downloads them, and the count is public. */
const COUNTED =
  /\/releases\/|\/(archive|zipball|tarball|download|downloads|raw)(\/|$)|\/-\/|\.(tgz|tar|zip|gz|whl|crate|gem|jar)$/i;

/** What is known about an address. */
export type KnownAddresses = {
  /** It is in a prompt that the user typed. */
  isTyped(url: string): boolean;
  /** It is a link in text that the model has read. */
  isRead(url: string): boolean;
  /** Addresses requested in this run after foreign text was read. */
  followed: ReadonlySet<string>;
};

/**
 * Whether an address may carry private data: it was put together by the model, and goes where somebody might read
 * it. With more than the project at stake, only addresses that the user typed are free of data.
 */
export function mayCarryData(url: string, held: readonly TextSource[], known: KnownAddresses): boolean {
  if (!URL.canParse(url)) return true;
  if (known.isTyped(url)) return false;
  if (held.some(({ kind }) => kind !== 'project')) return true;
  // The next part of a page is the same request again.
  if (isLoopback(url) || known.followed.has(url)) return false;
  const isPublic = isPublicPage(url);
  if (!isPublic && !known.isRead(url)) return true;
  const followed = [...known.followed].filter((one) => isPublicPage(one) === isPublic);
  return followed.length >= (isPublic ? MAX_PUBLIC : MAX_FOLLOWED);
}

function isPublicPage(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port, pathname, search, username, password } = new URL(url);
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '' || search !== '')
    return false;
  return PUBLIC_HOSTS.has(hostname) && isPlain(pathname);
}

function isPlain(pathname: string): boolean {
  return pathname.length <= MAX_PATH && PLAIN_PATH.test(pathname) && !COUNTED.test(pathname);
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\\^{}|]+/gi;
/** Punctuation of the text around an address. */
const AFTER = /[.,;:!?()\]*_]+$/;

/** The addresses in a text, as written, and without the punctuation after them. */
export function addressesIn(text: string): string[] {
  return [...text.matchAll(ADDRESS)].flatMap(([found]) => {
    const bare = found.replace(AFTER, '');
    return bare === found ? [found] : [found, bare];
  });
}

/** Fields that hold an address, however it is spelled, and text that starts with a host and a path. */
const ADDRESS_FIELD = /ur[il]|link|href|host|domain|site|address|endpoint/i;
const BARE_ADDRESS = /^([a-z][a-z+.-]*:)?\/\/\S|^([\w-]+\.)+[a-z]{2,}(:\d+)?\/\S/i;
/** A name with room for data before the domain of somebody, anywhere in a text. */
const BARE_HOST = /(?<![\w.-])(?:[\w-]+\.){2,}(?:[a-z]{2,}|xn--[\w-]+)(?![\w-])/gi;
/** Ends of file names that are no domains. */
const FILE =
  /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|ya?ml|toml|lock|txt|html?|css|scss|vue|svelte|go|java|kt|rb|php|cs|cpp|hpp|sql|xml|csv|png|jpe?g|gif|svg|pdf|log|snap)$/i;

/** The addresses in the input of a tool, also those without a scheme. */
export function addressesInInput(input: unknown, field = ''): string[] {
  if (typeof input === 'string') {
    const isAddress = BARE_ADDRESS.test(input) || (ADDRESS_FIELD.test(field) && input !== '');
    const hosts = [...input.replaceAll(ADDRESS, ' ').matchAll(BARE_HOST)].map(([host]) => host);
    const bare = hosts.filter((host) => !FILE.test(host) && !PUBLIC_HOSTS.has(host.toLowerCase()));
    return [...addressesIn(input), ...bare, ...(isAddress && !/^https?:/i.test(input) ? [input] : [])];
  }
  if (input === null || typeof input !== 'object') return [];
  return Object.entries(input).flatMap(([name, value]) =>
    addressesInInput(value, Array.isArray(input) ? field : name),
  );
}

/** Whether an address leads to this machine. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(new URL(url).hostname);
}
