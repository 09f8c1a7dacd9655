import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { UserError } from '../../../contract/errors.ts';

export const DEFAULT_PORT = 7317;

/** Where to listen. A null port means the default one, or a free one if it is taken. */
export type Listen = { address: string; port: number | null };

/** How a browser that used this Host header names the origin of the page. */
export type Site = { origin: string; secure: boolean };

/** The accepted Host headers, exactly as browsers send them. */
export type Sites = () => ReadonlyMap<string, Site>;

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::'];

/** Parses `ADDRESS`, `ADDRESS:PORT` or `[IPV6]:PORT`. */
export function parseListen(text: string): Listen {
  const [, name = text, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address =
    name.toLowerCase() === 'localhost' ? '127.0.0.1' : name.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(address) === 0 || Number(port ?? 0) > 65_535)
    throw new UserError(
      `--listen ${text} is not an IP address.`,
      'Use an address of this machine, such as --listen 192.168.1.5:7317, or --listen 0.0.0.0 for all of them.',
    );
  return { address, port: port === undefined ? null : Number(port) };
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}

/**
 * Names are compared exactly: a foreign name that resolves to this machine is a DNS rebinding attack. The addresses of a
 * machine change with its networks, so those behind a wildcard are looked up when somebody asks.
 */
export function sitesOf(
  { address, port }: { address: string; port: number },
  { tls, allowHosts }: { tls: boolean; allowHosts: readonly string[] },
  names: () => readonly string[] = () => ownNames(address),
): Sites {
  const scheme = tls ? 'https' : 'http';
  const given = new Map(
    allowHosts.map(parseHost).flatMap((host) => {
      const isOwn = LOOPBACK_NAMES.includes(host.replace(/:\d+$/, ''));
      // Other names are reached through a reverse proxy or our own TLS, never over plain HTTP.
      const sites = sitesNamed(host, isOwn ? scheme : 'https');
      return tls && !/:\d+$/.test(host) ? [...sites, ...sitesNamed(`${host}:${port}`, 'https')] : sites;
    }),
  );
  const all = () => new Map([...names().flatMap((name) => sitesNamed(`${name}:${port}`, scheme)), ...given]);
  const fixed = WILDCARDS.includes(address) ? null : all();
  return () => fixed ?? all();
}

/** Browsers omit the default port of the scheme. */
function sitesNamed(host: string, scheme: 'http' | 'https'): [name: string, site: Site][] {
  const { host: shown, origin } = new URL(`${scheme}://${host}`);
  return [host, shown].map((name) => [name, { origin, secure: scheme === 'https' }]);
}

/** The first name is the one to put into links. */
export function ownNames(address: string): string[] {
  if (isLoopback(address)) {
    const own = inUrl(address);
    return LOOPBACK_NAMES.includes(own) ? [own, ...LOOPBACK_NAMES.filter((name) => name !== own)] : [own];
  }
  if (!WILDCARDS.includes(address)) return [inUrl(address)];
  const outer = Object.values(networkInterfaces())
    .flatMap((list = []) => list)
    .filter(
      (one) =>
        !one.internal && !one.address.startsWith('fe80:') && (address === '::' || one.family === 'IPv4'),
    );
  // IPv4 first: it is shorter, and phones on the same network reach it.
  const sorted = [...outer].sort((a, b) => a.family.localeCompare(b.family));
  return [...sorted.map((one) => inUrl(one.address)), ...LOOPBACK_NAMES];
}

export function parseHost(text: string): string {
  const host = text.toLowerCase();
  if (
    /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(:\d{1,5})?$/.test(host) &&
    URL.canParse(`https://${host}`)
  )
    return host;
  throw new UserError(
    `--allow-host ${text} is not a host name.`,
    'Use the exact name that browsers show, without https:// and wildcards, such as --allow-host code.example.com.',
  );
}

function inUrl(address: string): string {
  return isIPv6(address) ? `[${new URL(`http://[${address}]`).hostname.slice(1, -1)}]` : address;
}
