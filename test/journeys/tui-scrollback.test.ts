import { expect, test } from 'vitest';
import { fullClears, type Lab, still } from '../support/lab.ts';
import { says, slowly } from '../support/model-server/script.ts';
import { openScreen, runOver } from '../support/screen.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

const lines = Array.from({ length: 120 }, (_, i) => `line-${i}-end`);
/** Paragraphs, a list and code: each line of them must be found once. */
const long = [
  lines.slice(0, 40).join('\n\n'),
  lines
    .slice(40, 80)
    .map((line) => `- ${line}`)
    .join('\n'),
  `\`\`\`\n${lines.slice(80).join('\n')}\n\`\`\``,
].join('\n\n');

test('[C11] every finished line is in the scrollback once, in order, at its place', async () => {
  const { lab } = await openScreen(
    await workspace(),
    [slowly(says(long, { pieceLength: 9 }), { betweenMs: 1 })],
    {
      columns: 60,
      rows: 20,
    },
  );
  lab.type('go\r');
  await lab.waitFor('line-119-end');
  await still(lab);
  expect(found(lab)).toEqual(lines);
  expect(fullClears(lab.written())).toEqual([]);
});

test(
  '[C11] also when the terminal is resized again and again meanwhile, as long as the live rows fit',
  soak,
  async () => {
    const { lab } = await storm({ columns: 120, widths: (round) => 105 + ((round * 13) % 40) });
    await expect.poll(() => found(lab), settling).toEqual(lines);
    expect(fullClears(lab.written())).toEqual([]);
    await expect.poll(() => prompts(lab), settling).toHaveLength(1);
  },
);

test('[C11] also in a storm that breaks the live rows again while frames are under way', soak, async () => {
  const { lab } = await storm({ columns: 80, widths: (round) => 40 + ((round * 37) % 80) });
  await expect.poll(() => found(lab), settling).toEqual(lines);
  expect(fullClears(lab.written())).toEqual([]);
  await expect.poll(() => prompts(lab), settling).toHaveLength(1);
});

test(
  '[C11] resized at rest, every finished line is still there once, and nothing goes on being written',
  soak,
  async () => {
    const lab = await atRest();
    for (const [columns, rows] of sizes) {
      lab.resize(columns, rows);
      await echoed(lab);
      await expect.poll(() => found(lab), settling).toEqual(lines.slice(0, 30));
    }
    expect(fullClears(lab.written())).toEqual([]);
    await still(lab);
    expect(await lab.quiet(500)).toBe(0);
  },
);

test(
  '[C11] resized at rest to fewer columns than its rows need, the screen has one prompt',
  soak,
  async () => {
    const lab = await atRest();
    for (const [columns, rows] of sizes) {
      lab.resize(columns, rows);
      await echoed(lab);
      await expect.poll(() => prompts(lab), settling).toHaveLength(1);
    }
  },
);

/** On a busy machine the last resize may be heard of late. */
const settling = { timeout: 60_000, interval: 50 };

const sizes = [
  [60, 30],
  [40, 12],
  [120, 40],
  [33, 20],
  [100, 30],
] as const;

async function atRest(): Promise<Lab> {
  const script = [says(lines.slice(0, 30).join('\n\n'))];
  const { lab } = await openScreen(await workspace(), script, { columns: 100, rows: 30 });
  lab.type('go\r');
  await lab.waitFor('line-29-end');
  await runOver(lab, '$0.01');
  return lab;
}

async function storm({ columns, widths }: { columns: number; widths(round: number): number }) {
  const script = [slowly(says(long, { pieceLength: 9 }), { betweenMs: 4 })];
  const opened = await openScreen(await workspace(), script, { columns, rows: 24 });
  const { lab } = opened;
  lab.type('go\r');
  await lab.waitFor('line-3-end');
  for (let round = 0; round < 25; round++) {
    lab.resize(widths(round), 12 + ((round * 7) % 20));
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  await lab.waitFor('line-119-end');
  lab.resize(columns, 24);
  await echoed(lab);
  return opened;
}

/** Something is typed and taken back: what was to be painted before has been. */
async function echoed(lab: Lab): Promise<void> {
  lab.type('z');
  await lab.waitFor(({ rows }) => rows().some((row) => row.trimEnd() === '> z'));
  lab.type('\u007f');
  await lab.waitFor(() => prompts(lab).length > 0);
  await lab.settled();
}

function prompts(lab: Lab): string[] {
  return lab.rows().filter((row) => row.startsWith('> Ask'));
}

function found(lab: Lab): string[] {
  return lab.all().flatMap((row) => row.match(/line-\d+-end/g) ?? []);
}
