import type { TextSource } from '../../contract/provenance.ts';

/** How many links of pages the model may follow in a run: choosing among links could spell out data. */
const MAX_FOLLOWED = 5;

/**
 * Hosts of documentation, packages and public code. Whoever wrote a page cannot see what is requested from
 * them, so that a plain path there tells an attacker nothing.
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
  if (isPublicPage(new URL(url))) return false;
  if (!known.isRead(url)) return true;
  return !known.followed.has(url) && known.followed.size >= MAX_FOLLOWED;
}

function isPublicPage({ protocol, hostname, port, pathname, search, username }: URL): boolean {
  if (protocol !== 'https:' || port !== '' || username !== '' || search !== '') return false;
  return PUBLIC_HOSTS.has(hostname) && pathname.length <= MAX_PATH && PLAIN_PATH.test(pathname);
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

/** Whether an address leads to this machine. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(new URL(url).hostname);
}
