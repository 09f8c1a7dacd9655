// @module-tag soak
import { describe, expect, test } from 'vitest';
import { atMoment, type KillPoint, killPoints } from '../support/crash/kill-points.ts';
import { play, round, setStage } from '../support/crash/round.ts';
import { rounds } from '../support/soak.ts';

/** Rounds in all: those at known moments, and the rest at any. */
const ROUNDS = rounds(15, 200);
const AT_ONCE = 6;
const RESUMED_EVERY = 10;

describe('[S04] [S06] [T14] [L12] killed at any moment', () => {
  test(`${ROUNDS} rounds: nothing that was said is lost, nothing ran twice, all of it can be undone`, async () => {
    const warm = await setStage();
    await play(warm);
    const begun = performance.now();
    const moments = Math.floor(ROUNDS * 0.9);
    const known = spread(await killPoints(await setStage(warm.space), moments), moments);
    const took = performance.now() - begun;
    const rest = Math.max(0, ROUNDS - known.length);
    const points = [...known, ...Array.from({ length: rest }, () => atMoment(Math.random(), took))];

    const failures: string[] = [];
    let killed = 0;
    await inTurns(points, async (point, i) => {
      const stage = await setStage(warm.space);
      try {
        const ran = await round(stage, point.treatment(stage), { resume: i % RESUMED_EVERY === 0 });
        if (ran.signal === 'SIGKILL') killed++;
      } catch (error) {
        failures.push(`killed ${point.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
    expect(failures).toEqual([]);
    // A round that came to its end by itself has proven nothing.
    expect(killed).toBeGreaterThan(points.length * 0.8);
  }, 600_000);
});

/** At most `count` of them, from the first to the last. */
function spread<T>(items: readonly T[], count: number): T[] {
  const every = Math.max(1, items.length / count);
  return items.filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every));
}

async function inTurns(points: readonly KillPoint[], deed: (point: KillPoint, i: number) => Promise<void>) {
  const waiting = [...points.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await deed(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
