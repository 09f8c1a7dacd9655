import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { says, slowly } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

/** About one second of a line with 1 KB per second, and a frame that was already being written. */
const MOST_UNDELIVERED = 2_500;
const words = Array.from({ length: 120 }, (_, i) => `word-${i}`);

test(
  'on a line with 1 KB per second, the spinner and a fast answer never run ahead of the screen',
  soak,
  async () => {
    const answer = slowly(says(words.join(' '), { pieceLength: 5 }), { firstMs: 6_000, betweenMs: 5 });
    const { lab } = await openScreen(await workspace(), [answer], {
      columns: 80,
      rows: 24,
      bytesPerSecond: 1_000,
    });
    await lab.settled();
    lab.type('go\r');
    let most = 0;
    while (!lab.all().join(' ').includes('word-119')) {
      most = Math.max(most, lab.undelivered());
      await sleep(20);
    }

    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MOST_UNDELIVERED);
    const shown = lab.all().join(' ');
    for (const word of words) expect(shown.split(new RegExp(`${word}\\b`))).toHaveLength(2);
  },
);

test('the waiting spinner writes a fraction of what a slow line can take', soak, async () => {
  const { lab } = await openScreen(await workspace(), [slowly(says('done'), { firstMs: 4_000 })], {
    columns: 80,
    rows: 24,
  });
  lab.type('go\r');
  await lab.waitFor('go');
  await sleep(500);
  const bytes = await lab.quiet(3_000);

  expect(bytes).toBeGreaterThan(0);
  expect(bytes / 3).toBeLessThan(800);
});
