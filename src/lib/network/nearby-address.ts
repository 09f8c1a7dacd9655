import { BlockList, isIP } from 'node:net';

const NEARBY = new BlockList();
NEARBY.addSubnet('127.0.0.0', 8);
NEARBY.addSubnet('10.0.0.0', 8);
NEARBY.addSubnet('172.16.0.0', 12);
NEARBY.addSubnet('192.168.0.0', 16);
NEARBY.addSubnet('169.254.0.0', 16);
NEARBY.addAddress('0.0.0.0');
NEARBY.addAddress('::1', 'ipv6');
NEARBY.addAddress('::', 'ipv6');
NEARBY.addSubnet('fc00::', 7, 'ipv6');
NEARBY.addSubnet('fe80::', 10, 'ipv6');

/** Whether an address is on this machine or the local network, without a DNS lookup. */
export function isNearby(address: string): boolean {
  const full = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(full)) return false;
  const host = new URL(full).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const family = isIP(host);
  if (family !== 0) return NEARBY.check(host, family === 6 ? 'ipv6' : 'ipv4');
  // A name without a dot is on the local network.
  return !host.includes('.') || /\.(localhost|local|lan|internal|home\.arpa)$/.test(host);
}
