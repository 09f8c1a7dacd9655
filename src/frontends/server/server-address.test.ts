import { expect, test } from 'vitest';
import { serverAddress } from './server-address.ts';

const secret = 'a'.repeat(43);

test.each([
  ['http://127.0.0.1:7317', { url: 'http://127.0.0.1:7317', secret: null }],
  [` http://localhost:7317/#code=${secret} `, { url: 'http://localhost:7317', secret }],
  ['http://[::1]:7317/', { url: 'http://[::1]:7317', secret: null }],
  [`https://box.example:7317/#code=${secret}`, { url: 'https://box.example:7317', secret }],
  ['box.example', { url: 'https://box.example', secret: null }],
])('%s is an address of a server', (text, address) => {
  expect(serverAddress(text)).toEqual(address);
});

test.each([
  ['', /Enter an address/],
  ['file:///etc/passwd', /Enter an address/],
  ['javascript:alert(1)', /Enter an address/],
  ['http://box.example:7317', /need https/],
  ['http://127.0.0.1.example.org', /need https/],
  ['https://box.example/#code=abc', /not complete/],
])('%s is none', (text, message) => {
  expect(() => serverAddress(text)).toThrow(message);
});
