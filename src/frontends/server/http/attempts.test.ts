import { expect, test } from 'vitest';
import { Attempts } from './attempts.ts';

function clock() {
  let time = 1_000_000;
  const pass = (ms: number) => {
    time += ms;
  };
  return { now: () => time, pass };
}

function failTimes(attempts: Attempts, address: string, count: number): void {
  for (let i = 0; i < count; i++) attempts.failed(address);
}

test('an address that fails again and again waits longer and longer, and starts again later', () => {
  const { now, pass } = clock();
  const attempts = new Attempts(now);
  failTimes(attempts, '10.0.0.1', 5);
  expect(attempts.mayTry('10.0.0.1')).toBe(true);
  const waits = [1, 2, 3, 4].map(() => {
    attempts.failed('10.0.0.1');
    return attempts.waitFor('10.0.0.1');
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(attempts.mayTry('10.0.0.1')).toBe(false);
  expect(attempts.mayTry('10.0.0.2')).toBe(true);
  failTimes(attempts, '10.0.0.1', 100);
  expect(attempts.waitFor('10.0.0.1')).toBe(300_000);
  pass(300_000);
  expect(attempts.mayTry('10.0.0.1')).toBe(true);
  pass(900_000);
  attempts.failed('10.0.0.1');
  expect(attempts.waitFor('10.0.0.1')).toBe(0);
});

test.each(['127.0.0.1', '127.8.8.8', '::1'])('nobody can lock the owner out at %s', (address) => {
  const attempts = new Attempts();
  failTimes(attempts, address, 1_000);
  expect(attempts.waitFor(address)).toBeGreaterThan(0);
  expect(attempts.mayTry(address)).toBe(true);
});

test('the addresses of one IPv6 network count as one', () => {
  const attempts = new Attempts();
  for (let i = 1; i <= 9; i++) attempts.failed(`2001:db8:1:2::${i}`);
  expect(attempts.mayTry('2001:db8:1:2:ffff::1')).toBe(false);
  expect(attempts.mayTry('2001:db8:1:3::1')).toBe(true);
});

test('while many addresses fail at once, only those that signed in before may try', () => {
  const { now, pass } = clock();
  const attempts = new Attempts(now);
  attempts.succeeded('10.9.9.9');
  for (let i = 0; i <= 300; i++) attempts.failed(`10.1.${i >> 8}.${i & 255}`);
  expect(attempts.mayTry('10.2.2.2')).toBe(false);
  expect(attempts.mayTry('10.9.9.9')).toBe(true);
  expect(attempts.mayTry('127.0.0.1')).toBe(true);
  pass(60_000);
  expect(attempts.mayTry('10.2.2.2')).toBe(true);
});
