import { expect, test } from 'vitest';
import { isNearby } from './nearby-address.ts';

test.each([
  'http://127.0.0.1:8080/v1',
  'http://localhost:1234',
  '127.9.9.9:11434',
  'http://[::1]:80/',
  'http://192.168.1.5:11434',
  'http://10.0.0.1',
  'http://172.31.0.1',
  'http://[fd00::1]/',
  'http://gpu-box:8000/v1',
  'http://gpu.local/v1',
  'http://0.0.0.0:8080',
])('%s is local', (address) => {
  expect(isNearby(address)).toBe(true);
});

test.each([
  'https://api.openai.com/v1',
  'http://8.8.8.8',
  'http://172.32.0.1',
  'http://[2001:4860::1]/',
  'http://127.0.0.1.example.com/',
  'http://local.example',
  '',
])('%s is not local', (address) => {
  expect(isNearby(address)).toBe(false);
});
