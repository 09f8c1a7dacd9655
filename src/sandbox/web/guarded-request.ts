import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { PermissionDeniedError } from '../../contract/errors.ts';
import { whyNameNotPublic, whyNotPublic } from './address.ts';

export type RequestOptions = {
  /**
   * Uses the user's proxy, and only that: a proxy resolves names itself, so no address is pinned. If absent,
   * connects directly to the checked addresses.
   */
  fetch?: typeof fetch;
  /** All trusted authorities for direct connections; the default ones if absent. Read on first use. */
  certificates?(): Promise<string[]>;
  /** All addresses of a name. */
  resolve?(hostname: string): Promise<string[]>;
  /** For an address that the user configured, and for tests with local servers. */
  allowPrivate?: boolean;
};

/** One request, made only to checked addresses; redirects are not followed. */
export async function guardedRequest(
  url: URL,
  request: RequestInit,
  options: RequestOptions,
): Promise<Response> {
  const addresses = await publicAddresses(url, options);
  const init: RequestInit = { ...request, redirect: 'manual' };
  if (options.fetch) return options.fetch(url, init);
  // A separate module, because its library is large and few sessions need it.
  const { pinnedFetch } = await import('./pinned-fetch.ts');
  const ca = await options.certificates?.();
  return pinnedFetch(addresses, ca)(url, init);
}

/** The addresses of a URL, all of them public; throws if it must not be fetched. */
async function publicAddresses(
  url: URL,
  { fetch, resolve = resolveHere, allowPrivate = false }: RequestOptions,
): Promise<string[]> {
  const because = closedBecause(url, { allowPrivate });
  if (because !== null) throw refused(url, because);
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  const addresses = isLiteral
    ? [host]
    : await resolve(host).catch((error: NodeJS.ErrnoException) => {
        // Behind a proxy many machines cannot resolve public names at all.
        if (fetch) return [];
        throw new Error(
          `The host ${host} was not found (${error.code ?? error.message}). Check the address.`,
        );
      });
  for (const address of allowPrivate ? [] : addresses) {
    const why = whyNotPublic(address);
    if (why !== null)
      throw refused(
        url,
        notPublic(`${address === host ? host : `${host} resolves to ${address}, which`} is ${why}`),
      );
  }
  return addresses;
}

async function resolveHere(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** Why an address is never fetched, judging by the address alone, or null. */
export function fetchRefusal(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const because = closedBecause(url, {});
  return because === null ? null : refused(url, because).message;
}

function closedBecause(url: URL, { allowPrivate }: Pick<RequestOptions, 'allowPrivate'>): string | null {
  if (!/^https?:$/.test(url.protocol)) return 'only http and https URLs can be fetched';
  if (url.username !== '' || url.password !== '')
    return 'URLs with a user name or password cannot be fetched';
  if (allowPrivate) return null;
  const host = hostOf(url);
  const why = isIP(host) === 0 ? whyNameNotPublic(host) : whyNotPublic(host);
  return why === null ? null : notPublic(`${host} is ${why}`);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function notPublic(why: string): string {
  return `${why}; only public addresses can be fetched. For your own servers use a command`;
}

function refused(url: URL, why: string): PermissionDeniedError {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return new PermissionDeniedError({ operation: `fetch ${shown.href} (${why})`, by: 'network guard' });
}

/** Null if there is more; does not wait for the rest. */
export async function readAtMost(body: Response['body'], limit: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The network error is the cause of the fetch error; with several addresses, one level deeper. */
export function explained(error: unknown, url: URL): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return error;
  const reason: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const words = reason instanceof Error ? reason.message : String(reason);
  return new Error(`Cannot fetch ${url.href}: ${words}`, { cause: error });
}
