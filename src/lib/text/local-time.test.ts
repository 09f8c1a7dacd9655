import { expect, onTestFinished, test } from 'vitest';
import { localTime } from './local-time.ts';

test.each([
  ['UTC', '2026-05-04T23:07:09.123Z', '2026-05-04 23:07:09'],
  ['Asia/Tokyo', '2026-05-04T23:07:09.123Z', '2026-05-05 08:07:09'],
  ['America/New_York', '2026-01-01T01:00:00Z', '2025-12-31 20:00:00'],
  ['UTC', 'yesterday', 'yesterday'],
])('in %s, %s is %s', (zone, time, expected) => {
  const { TZ } = process.env;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  process.env.TZ = zone;
  expect(localTime(time)).toBe(expected);
});
