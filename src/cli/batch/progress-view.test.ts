import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Progress } from '../../fleet/batch/progress.ts';
import { barLine, progressView } from './progress-view.ts';

const progress: Progress = {
  total: 300,
  done: 148,
  failed: 2,
  open: 150,
  running: 4,
  costUsd: 1.5,
  hasUnknownCost: false,
  tokens: 1000,
  durationMs: 1,
  perMinute: 12.4,
  leftMs: 724_000,
  elapsedMs: 726_000,
};

test('the bar shows tasks, cost, estimate and rate, as much as fits', () => {
  const line = (width: number) => barLine(progress, { width, color: false });
  expect(line(100)).toBe(
    '150/300  [##########..........]  2 failed  4 running  $1.50  12m 04s left  12/min  12m 06s',
  );
  expect(line(60)).toBe('150/300  [##########..........]  2 failed  4 running  $1.50');
  expect(line(20)).toBe('150/300  2 failed');
  expect(line(8)).toBe('150/300');
  expect(barLine(progress, { width: 100, color: true })).toContain('\u001b[31m2 failed\u001b[39m');
});

test('a queued batch names the workers that are missing, and not how many tasks run', () => {
  const event = { type: 'queued', unserved: [[], ['gpu', 'linux']] } as const;
  const lines = [
    'No worker is running yet. Start one with: aca worker --queue URL\n',
    'No worker with the labels gpu, linux is running yet. Start one with: aca worker --queue URL --labels gpu,linux\n',
  ];
  for (const isTTY of [false, true]) {
    const written: string[] = [];
    const view = progressView(
      { isTTY, columns: 100, write: (text) => Boolean(written.push(String(text))) },
      { env: {} },
    );
    view.take(
      { ...event, unserved: event.unserved.map((labels) => [...labels]) },
      { ...progress, running: null },
    );
    view.end();
    const shown = written.map((text) => stripVTControlCharacters(text).replace('\r', ''));
    expect(shown.filter((text) => text.endsWith('\n'))).toEqual(lines);
    const bar = '150/300  [##########..........]  2 failed  $1.50  ';
    expect(shown.some((text) => text.startsWith(bar))).toBe(isTTY);
  }
});

test('it never wraps', () => {
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 200 }), fc.boolean(), (width, color) => {
      const shown = stripVTControlCharacters(barLine(progress, { width, color }));
      expect(shown.length).toBeLessThanOrEqual(width);
    }),
  );
});

test.each([
  ['a pipe', { isTTY: false }, {}],
  ['CI', { isTTY: true }, { CI: 'true' }],
  ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }],
])('%s gets plain lines', (_, out, env) => {
  const written: string[] = [];
  const view = progressView({ ...out, write: (text) => Boolean(written.push(String(text))) }, { env });
  view.print('Batch 1');
  view.end();
  expect(written).toEqual(['Batch 1\n']);
});
