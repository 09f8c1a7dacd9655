import { expect, test } from 'vitest';
import { progressLine, progressText } from './progress-line.ts';

function written(isTTY: boolean): { out: { isTTY: boolean; write(text: string): boolean }; lines: string[] } {
  const lines: string[] = [];
  const write = (text: string) => {
    lines.push(text);
    return true;
  };
  return { out: { isTTY, write }, lines };
}

test('progress shows the share, the speed and the time left', () => {
  expect(progressText({ done: 50e6, total: 200e6, bytesPerSecond: 10e6 })).toBe(
    '25% of 200.0 MB, 10.0 MB/s, 15s left',
  );
  expect(progressText({ done: 1e9, total: 5e9, bytesPerSecond: 10e6 })).toBe(
    '20% of 5.00 GB, 10.0 MB/s, 7 min left',
  );
  expect(progressText({ done: 3e6, total: null, bytesPerSecond: 0 })).toBe('3.0 MB');
});

test('on a terminal one line is updated, and longer previous text is erased', () => {
  const { out, lines } = written(true);
  const line = progressLine('m', out);
  line.tell({ done: 50, total: 100, bytesPerSecond: 2e6 });
  line.tell({ done: 100, total: 100, bytesPerSecond: 0 });
  line.end();

  expect(lines).toEqual([
    '\rm  [############............] 50% of 0.0 MB, 2.0 MB/s',
    '\rm  [########################] 100% of 0.0 MB         ',
    '\n',
  ]);
});

test('elsewhere each tenth is printed once', () => {
  const { out, lines } = written(false);
  const line = progressLine('m', out);
  for (let done = 0; done <= 1000; done++) line.tell({ done, total: 1000, bytesPerSecond: 0 });
  line.end();

  expect(lines.length).toBe(11);
  expect(lines.at(-1)).toBe('m  100% of 0.0 MB\n');
});
