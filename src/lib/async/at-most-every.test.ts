import { expect, test, vi } from 'vitest';
import { atMostEvery } from './at-most-every.ts';

test('runs at once, and what comes within the interval runs once when it is over', () => {
  vi.useFakeTimers();
  try {
    const runs: number[] = [];
    let now = 0;
    const call = atMostEvery(100, () => runs.push(now));
    for (now = 0; now < 250; now += 10) {
      call();
      vi.advanceTimersByTime(10);
    }
    now = 300;
    vi.advanceTimersByTime(1_000);
    expect(runs).toEqual([0, 90, 190, 300]);
    call();
    expect(runs).toEqual([0, 90, 190, 300, 300]);
  } finally {
    vi.useRealTimers();
  }
});
