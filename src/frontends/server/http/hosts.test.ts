import { expect, test } from 'vitest';
import { UserError } from '../../../contract/errors.ts';
import { parseHost, parseListen, sitesOf } from './hosts.ts';

test.each([
  ['127.0.0.1', { address: '127.0.0.1', port: null }],
  ['localhost:8000', { address: '127.0.0.1', port: 8000 }],
  ['192.168.1.5:443', { address: '192.168.1.5', port: 443 }],
  ['0.0.0.0', { address: '0.0.0.0', port: null }],
  ['::1', { address: '::1', port: null }],
  ['[::1]:7317', { address: '::1', port: 7317 }],
  ['[FD00::1]', { address: 'fd00::1', port: null }],
])('--listen %s', (text, listen) => {
  expect(parseListen(text)).toEqual(listen);
});

test.each([
  '',
  'example.com',
  '7317',
  ':7317',
  '127.0.0.1:',
  '127.0.0.1:99999',
  '256.1.1.1',
  '[::1',
  'http://127.0.0.1',
])('--listen %s is refused', (text) => {
  expect(() => parseListen(text)).toThrow(UserError);
});

test.each([
  '',
  '*',
  '*.example.com',
  'https://example.com',
  'example.com/',
  'a b',
  'example.com:999999',
  'a@b',
  '.a',
  'a..',
])('--allow-host %s is refused', (text) => {
  expect(() => parseHost(text)).toThrow(UserError);
});

const origins = (...args: Parameters<typeof sitesOf>) =>
  Object.fromEntries([...sitesOf(...args)()].map(([host, { origin }]) => [host, origin]));

test('a server on this machine answers to its own names, with its port', () => {
  expect(origins({ address: '127.0.0.1', port: 7317 }, { tls: false, allowHosts: [] })).toEqual({
    '127.0.0.1:7317': 'http://127.0.0.1:7317',
    'localhost:7317': 'http://localhost:7317',
    '[::1]:7317': 'http://[::1]:7317',
  });
});

test('the name of a proxy is reached with TLS; another local port is a tunnel', () => {
  const allowHosts = ['Code.example.com', 'other.example.com:8443', 'localhost:8000'];
  expect(origins({ address: '127.0.0.2', port: 7317 }, { tls: false, allowHosts })).toEqual({
    '127.0.0.2:7317': 'http://127.0.0.2:7317',
    'code.example.com': 'https://code.example.com',
    'other.example.com:8443': 'https://other.example.com:8443',
    'localhost:8000': 'http://localhost:8000',
  });
});

test('with TLS, a name is accepted with the port of the server, too; browsers omit the default port', () => {
  expect(origins({ address: '192.168.1.5', port: 443 }, { tls: true, allowHosts: ['box.local'] })).toEqual({
    '192.168.1.5:443': 'https://192.168.1.5',
    '192.168.1.5': 'https://192.168.1.5',
    'box.local': 'https://box.local',
    'box.local:443': 'https://box.local',
  });
});

test('behind a wildcard, the addresses are those that the machine has now', () => {
  let names = ['192.168.1.5'];
  const sites = sitesOf({ address: '0.0.0.0', port: 7317 }, { tls: true, allowHosts: [] }, () => names);
  expect([...sites().keys()]).toEqual(['192.168.1.5:7317']);
  names = ['10.0.0.9'];
  expect([...sites().keys()]).toEqual(['10.0.0.9:7317']);
});
