import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLiveOutput } from './live-output.ts';

test('chunks that arrive together are reported together, and the last ones at the end', async () => {
  const told: string[] = [];
  const live = createLiveOutput((text) => told.push(text));
  live.push('a');
  live.push('b');
  await sleep(120);
  live.push('c');
  live.end();
  live.end();
  await sleep(80);
  expect(told).toEqual(['ab', 'c']);
});

test('of a flood only the latest part is reported', () => {
  const told: string[] = [];
  const live = createLiveOutput((text) => told.push(text));
  for (let i = 0; i < 100_000; i++) live.push(`line ${i}\n`);
  live.end();
  expect(told.length).toBe(1);
  expect(told[0]?.length).toBeLessThanOrEqual(16_000);
  expect(told[0]?.startsWith('…\nline ')).toBe(true);
  expect(told[0]?.endsWith('line 99998\nline 99999\n')).toBe(true);
});

test('reports contain no escape sequences, even if one arrives in two chunks', async () => {
  const told: string[] = [];
  const live = createLiveOutput((text) => told.push(text));
  live.push('a\u001B[3');
  await sleep(120);
  live.push('1mred\u001B[0m\u001B]0;ti');
  await sleep(120);
  live.push('tle\u0007b\u001B');
  live.end();
  expect(told).toEqual(['a', 'red', 'b']);
});
