import { expect, test } from 'vitest';
import { fullClears, type Lab, still } from '../support/lab.ts';
import { says, slowly } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
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

test('[C11] also when the terminal is resized again and again meanwhile, as long as the live rows fit', async () => {
  const { lab } = await storm({ columns: 120, widths: (round) => 105 + ((round * 13) % 40) });
  expect(found(lab)).toEqual(lines);
  expect(fullClears(lab.written())).toEqual([]);
  expect(prompts(lab)).toHaveLength(1);
});

// A frame that is under way while the terminal breaks the live rows anew may leave one of them behind.
test('[C11] in a storm that breaks the live rows no finished line is lost or out of order', async () => {
  const { lab } = await storm({ columns: 80, widths: (round) => 40 + ((round * 37) % 80) });
  expect(found(lab).filter((line, i, all) => all.indexOf(line) === i)).toEqual(lines);
  expect(fullClears(lab.written())).toEqual([]);
});

test('[C11] resized at rest, every finished line is still there once, and nothing goes on being written', async () => {
  const lab = await atRest();
  for (const [columns, rows] of sizes) {
    await lab.resize(columns, rows);
    await still(lab, 200);
    expect(found(lab), `${columns} columns`).toEqual(lines.slice(0, 30));
  }
  expect(fullClears(lab.written())).toEqual([]);
  expect(await lab.quiet(500)).toBe(0);
});

test('[C11] resized at rest to fewer columns than its rows need, the screen has one prompt', async () => {
  const lab = await atRest();
  for (const [columns, rows] of sizes) {
    await lab.resize(columns, rows);
    await still(lab, 200);
    expect(prompts(lab), `${columns} columns`).toHaveLength(1);
  }
});

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
  await still(lab);
  return lab;
}

async function storm({ columns, widths }: { columns: number; widths(round: number): number }) {
  const script = [slowly(says(long, { pieceLength: 9 }), { betweenMs: 4 })];
  const opened = await openScreen(await workspace(), script, { columns, rows: 24 });
  const { lab } = opened;
  lab.type('go\r');
  await lab.waitFor('line-3-end');
  for (let round = 0; round < 25; round++) {
    await lab.resize(widths(round), 12 + ((round * 7) % 20));
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  await lab.waitFor('line-119-end');
  await lab.resize(columns, 24);
  await still(lab, 500);
  return opened;
}

function prompts(lab: Lab): string[] {
  return lab.rows().filter((row) => row.startsWith('> Ask'));
}

function found(lab: Lab): string[] {
  return lab.all().flatMap((row) => row.match(/line-\d+-end/g) ?? []);
}
