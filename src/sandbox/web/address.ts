import { isIP, isIPv4 } from 'node:net';

type Range = { bits: number; block: bigint; what: string };

/** Blocks of the IANA special-purpose registries, and cloud-internal addresses. The first match names it. */
const IPV4: Range[] = ranges(32, {
  '0.0.0.0/8': 'an address on this machine',
  '127.0.0.0/8': 'a loopback address',
  '10.0.0.0/8': 'a private address',
  '172.16.0.0/12': 'a private address',
  '192.168.0.0/16': 'a private address',
  '100.100.100.200/32': 'a cloud metadata address',
  '100.64.0.0/10': 'a carrier-grade NAT address',
  '169.254.169.254/32': 'a cloud metadata address',
  '169.254.0.0/16': 'a link-local address',
  '168.63.129.16/32': 'a cloud metadata address',
  '192.0.0.0/24': 'a reserved address',
  '192.0.2.0/24': 'a documentation address',
  '192.88.99.0/24': 'a reserved address',
  '198.18.0.0/15': 'a benchmarking address',
  '198.51.100.0/24': 'a documentation address',
  '203.0.113.0/24': 'a documentation address',
  '224.0.0.0/4': 'a multicast address',
  '240.0.0.0/4': 'a reserved address',
});

const IPV6: Range[] = ranges(128, {
  '::/128': 'an address on this machine',
  '::1/128': 'a loopback address',
  '::ffff:0:0/96': 'an IPv4 address embedded in IPv6',
  '64:ff9b:1::/48': 'a private address',
  'fc00::/7': 'a private address',
  'fe80::/10': 'a link-local address',
  'fec0::/10': 'a private address',
  'ff00::/8': 'a multicast address',
  '2001::/23': 'a reserved address',
  '2001:db8::/32': 'a documentation address',
  '2002::/16': 'an IPv4 address embedded in IPv6',
  '3fff::/20': 'a documentation address',
});

const [GLOBAL_UNICAST, NAT64] = ranges(128, { '2000::/3': '', '64:ff9b::/96': '' });

/** Names that by convention never mean a public host, whatever they resolve to. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)\.?$/i;

/** Why an address is not public, as words that follow "is"; null if it is public. */
export function whyNotPublic(address: string): string | null {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 0) return 'not an IP address';
  const value = toNumber(plain);
  if (version === 4) return whatOf(value, IPV4, 32);

  // IPv6-only networks reach all of IPv4 through this block, so the embedded address counts.
  if (NAT64 && contains(NAT64, value, 128)) return whatOf(value & 0xffff_ffffn, IPV4, 32);
  const special = whatOf(value, IPV6, 128);
  if (special !== null) return special;
  return GLOBAL_UNICAST && contains(GLOBAL_UNICAST, value, 128) ? null : 'a reserved address';
}

/** Like `whyNotPublic`, for a name that is not resolved yet. */
export function whyNameNotPublic(hostname: string): string | null {
  return PRIVATE_NAME.test(hostname) ? 'a private host name' : null;
}

function whatOf(value: bigint, known: readonly Range[], size: number): string | null {
  return known.find((range) => contains(range, value, size))?.what ?? null;
}

function contains({ bits, block }: Range, value: bigint, size: number): boolean {
  return value >> BigInt(size - bits) === block;
}

function ranges(size: number, table: Record<string, string>): Range[] {
  return Object.entries(table).map(([cidr, what]) => {
    const [start = '', bits] = cidr.split('/');
    return { bits: Number(bits), block: toNumber(start) >> BigInt(size - Number(bits)), what };
  });
}

/** For a well-formed address. */
function toNumber(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = [], tail] = dottedAsHex(address)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const zeros = tail ? new Array<string>(8 - head.length - tail.length).fill('0') : [];
  return [...head, ...zeros, ...(tail ?? [])].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

/** `::ffff:1.2.3.4` as `::ffff:102:304`. */
function dottedAsHex(address: string): string {
  const dotted = address.slice(address.lastIndexOf(':') + 1);
  if (!isIPv4(dotted)) return address;
  const value = toNumber(dotted);
  const groups = `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  return address.slice(0, -dotted.length) + groups;
}
