import type { IncomingMessage } from 'node:http';
import type { Site, Sites } from './hosts.ts';

export type Refusal = { status: number; reason: string; waitMs?: number };

/** What is known of a request before its credentials are looked at. */
export type Checked = {
  site: Site;
  /** Whether the browser said that a page of this very site sent it. Programs say nothing. */
  fromOwnPage: boolean;
};

/** A path with its query, in the characters that URLs consist of. */
const TARGET = /^\/[\w\-.~!$&'()*+,;=:@%/?]*$/;

/**
 * Checks on every request and every upgrade that it was meant for this server, and that no other site sent it. Host and
 * Origin must match exactly.
 */
export function checkRequest(request: IncomingMessage, sites: Sites): Checked | Refusal {
  const { headers, rawHeaders, url = '' } = request;
  const named = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  for (const name of ['host', 'origin', 'authorization', 'cookie', 'content-length'])
    if (named.filter((one) => one === name).length > 1) return refuse(400, `more than one ${name} header`);
  if (!TARGET.test(url)) return refuse(400, 'the request target is not a path');
  const site = sites().get((headers.host ?? '').toLowerCase());
  if (!site) return refuse(421, 'unknown host');
  const { origin, 'sec-fetch-site': fetchSite } = headers;
  if (origin !== undefined && origin !== site.origin) return refuse(403, 'foreign origin');
  if (fetchSite !== undefined && !isOwnFetch(request)) return refuse(403, 'sent by another site');
  return { site, fromOwnPage: origin === site.origin };
}

export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}

/** Other sites may link to the page, but neither embed it nor load parts of it. */
function isOwnFetch({ method, headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
  if (site === 'same-origin' || site === 'none') return true;
  return method === 'GET' && mode === 'navigate' && dest === 'document';
}

function refuse(status: number, reason: string): Refusal {
  return { status, reason };
}
