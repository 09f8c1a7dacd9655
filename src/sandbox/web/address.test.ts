import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { whyNameNotPublic, whyNotPublic } from './address.ts';

describe('which addresses are public', () => {
  test.each([
    ['8.8.8.8', null],
    ['1.1.1.1', null],
    ['93.184.216.34', null],
    ['9.255.255.255', null],
    ['11.0.0.0', null],
    ['100.63.255.255', null],
    ['100.128.0.0', null],
    ['126.255.255.255', null],
    ['128.0.0.0', null],
    ['169.253.255.255', null],
    ['169.255.0.0', null],
    ['168.63.129.15', null],
    ['172.15.255.255', null],
    ['172.32.0.0', null],
    ['192.167.255.255', null],
    ['192.169.0.0', null],
    ['198.17.255.255', null],
    ['198.20.0.0', null],
    ['223.255.255.255', null],
    ['2606:4700:4700::1111', null],
    ['2a00:1450:4001:82b::200e', null],
    ['2001:200::1', null],
    ['3ffe::1', null],
    ['64:ff9b::808:808', null],
    ['64:ff9b::8.8.8.8', null],
    ['0.0.0.0', 'an address on this machine'],
    ['0.1.2.3', 'an address on this machine'],
    ['10.0.0.1', 'a private address'],
    ['10.255.255.255', 'a private address'],
    ['100.64.0.1', 'a carrier-grade NAT address'],
    ['100.127.255.255', 'a carrier-grade NAT address'],
    ['100.100.100.200', 'a cloud metadata address'],
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['169.254.169.254', 'a cloud metadata address'],
    ['169.254.170.2', 'a link-local address'],
    ['168.63.129.16', 'a cloud metadata address'],
    ['172.16.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.0.0.192', 'a reserved address'],
    ['192.0.2.1', 'a documentation address'],
    ['192.168.1.1', 'a private address'],
    ['198.18.0.1', 'a benchmarking address'],
    ['198.51.100.1', 'a documentation address'],
    ['203.0.113.1', 'a documentation address'],
    ['224.0.0.1', 'a multicast address'],
    ['240.0.0.1', 'a reserved address'],
    ['255.255.255.255', 'a reserved address'],
    ['::', 'an address on this machine'],
    ['::1', 'a loopback address'],
    ['0:0:0:0:0:0:0:1', 'a loopback address'],
    ['::7f00:1', 'a reserved address'],
    ['::ffff:127.0.0.1', 'an IPv4 address embedded in IPv6'],
    ['::ffff:7f00:1', 'an IPv4 address embedded in IPv6'],
    ['::ffff:8.8.8.8', 'an IPv4 address embedded in IPv6'],
    ['::ffff:0:127.0.0.1', 'a reserved address'],
    ['64:ff9b::7f00:1', 'a loopback address'],
    ['64:ff9b::169.254.169.254', 'a cloud metadata address'],
    ['64:ff9b:1::808:808', 'a private address'],
    ['100::1', 'a reserved address'],
    ['2001::1', 'a reserved address'],
    ['2001:db8::1', 'a documentation address'],
    ['2002:7f00:1::', 'an IPv4 address embedded in IPv6'],
    ['3fff::1', 'a documentation address'],
    ['5f00::1', 'a reserved address'],
    ['fc00::1', 'a private address'],
    ['fd00:ec2::254', 'a private address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'a link-local address'],
    ['fec0::1', 'a private address'],
    ['ff02::1', 'a multicast address'],
    ['', 'not an IP address'],
    ['example.org', 'not an IP address'],
    ['127.1', 'not an IP address'],
  ])('%s: %s', (address, why) => {
    expect(whyNotPublic(address)).toBe(why);
  });

  const special = new BlockList();
  for (const cidr of [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
    ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
    ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
    ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  ]) {
    const [net = '', bits] = cidr.split('/');
    special.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4');
  }
  const unicast = new BlockList();
  unicast.addSubnet('2000::', 3, 'ipv6');

  const nearSpecial = fc.constantFrom(0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 255);
  const byte = fc.integer({ min: 0, max: 255 });
  const ipv4 = fc
    .tuple(
      fc.oneof(nearSpecial, byte),
      fc.oneof(fc.constantFrom(0, 16, 18, 31, 63, 64, 168, 254), byte),
      byte,
      byte,
    )
    .map((parts) => parts.join('.'));

  test("property: any IPv4 address is judged like the runtime's own block list does", () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        expect(whyNotPublic(address) !== null).toBe(special.check(address, 'ipv4'));
      }),
      { numRuns: 2_000 },
    );
  });

  test('property: any IPv6 address outside the embedded ones likewise', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const first = fc.oneof(fc.constantFrom(0x2001, 0x2002, 0x3fff, 0x2606, 0xfc00, 0xfe80, 0xff02), group);
    fc.assert(
      fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (start, rest) => {
        const address = [start, ...rest].map((part) => part.toString(16)).join(':');
        fc.pre(start !== 0x64 && start !== 0);
        const isPublic = unicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
        expect(whyNotPublic(address) === null).toBe(isPublic);
      }),
      { numRuns: 2_000 },
    );
  });

  test('IPv4 behind NAT64 is judged by the embedded address; otherwise embedded IPv4 is refused, in any spelling', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const disguised = new URL(`http://[::ffff:${address}]`).hostname.slice(1, -1);
        expect(whyNotPublic(disguised)).toBe('an IPv4 address embedded in IPv6');
        expect(whyNotPublic(`::ffff:${address}`)).toBe('an IPv4 address embedded in IPv6');
        expect(whyNotPublic(`64:ff9b::${address}`)).toBe(whyNotPublic(address));
      }),
    );
  });

  test('property: no text is judged public unless it is an address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
        const why = whyNotPublic(text);
        expect(why === null || why.length > 0).toBe(true);
        if (!/^[\d.]+$|:/.test(text)) expect(why).toBe('not an IP address');
      }),
    );
  });
});

test.each([
  ['localhost', true],
  ['LOCALHOST.', true],
  ['a.localhost', true],
  ['printer.local', true],
  ['metadata.google.internal', true],
  ['host.docker.internal', true],
  ['router.home.arpa', true],
  ['example.org', false],
  ['local.example.org', false],
  ['notlocalhost', false],
  ['internal.example', false],
])('the name %s is private: %s', (name, isPrivate) => {
  expect(whyNameNotPublic(name) !== null).toBe(isPrivate);
});
