import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowsHost } from './allowed-hosts.ts';

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));

test('a host is allowed only by an entry with its name, or a wildcard for a parent name', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 4 }), name, label, (names, host, prefix) => {
      const web = { host, port: 443 };
      expect(allowsHost(names, web)).toBe(names.includes(host));
      const wildcards = names.map((one) => `*.${one}`);
      expect(allowsHost(wildcards, web)).toBe(names.some((one) => host !== one && host.endsWith(`.${one}`)));
      expect(allowsHost([host], { host: `${prefix}${host}`, port: 443 })).toBe(false);
      expect(allowsHost([`*.${host}`], { host: `${prefix}.${host}`, port: 443 })).toBe(true);
      expect(allowsHost([host], { host, port: 22 })).toBe(false);
      expect(allowsHost([`${host}:22`], { host, port: 22 })).toBe(true);
    }),
  );
});

test('an entry that would allow everything allows nothing', () => {
  for (const entry of ['*', '*.*', '', '*.', ':443', 'a*.example']) {
    expect(allowsHost([entry], { host: 'a.example', port: 443 })).toBe(false);
  }
});
