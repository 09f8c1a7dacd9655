import type { Intent } from './intent.ts';
import { globOf } from './tool-names.ts';

/**
 * `domain:name` is that host, `domain:*.name` its subdomains; anything else is one exact address. For a
 * restricting rule, a domain includes its subdomains, whatever its port, and an address may have wildcards or
 * be a host alone.
 */
export function matchesAddress(specifier: string, target: string, intent: Intent): boolean {
  const url = URL.canParse(target) ? new URL(target) : null;
  const domain = domainOf(specifier);
  if (intent === 'allow') {
    if (domain === null) return specifier === target;
    return url !== null && [url.host, url.hostname].some((host) => matchesHost(domain, host));
  }
  if (specifier === target || (specifier.includes('*') && globOf(specifier).test(target))) return true;
  const wanted = hostOf(domain ?? specifier);
  if (url === null || wanted === null || (domain === null && specifier.includes('/'))) return false;
  const host = url.hostname.replace(/\.$/, '');
  return matchesHost(wanted, host) || host.endsWith(`.${wanted}`);
}

/**
 * Whether a rule is about a search that is limited to this domain. A rule for a domain is never about a search of
 * the whole web: the results of that are filtered instead (`searchFilter`).
 */
export function matchesSearch(specifier: string, domain: string | undefined, intent: Intent): boolean {
  const named = domainOf(specifier);
  if (domain === undefined || (named === null && intent === 'allow')) return false;
  const wanted = hostOf(named ?? specifier);
  return wanted !== null && isWithin(domain, wanted);
}

/** `host` is the domain or a subdomain of it; `*.name` means the subdomains only. */
export function isWithin(host: string, domain: string): boolean {
  return matchesHost(domain, host) || (!domain.startsWith('*.') && host.endsWith(`.${domain}`));
}

/** What a specifier names as a domain; null for an address. */
export function domainOf(specifier: string): string | null {
  return specifier.startsWith('domain:') ? specifier.slice('domain:'.length).trim().toLowerCase() : null;
}

/** The host in `host`, `host:port` or an address, as URLs spell it; null if there is none. */
export function hostOf(text: string): string | null {
  if (text.includes('*')) return text.replace(/^[a-z]+:\/\//, '').replace(/[/:].*$/, '') || null;
  const address = text.includes('://') ? text : `http://${text}`;
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : null;
}

function matchesHost(wanted: string, host: string): boolean {
  if (wanted === '*') return true;
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
}
