import { describe, expect, onTestFinished, test } from 'vitest';
import { type Lab, openLab, still } from '../support/lab.ts';
import { type CallWords, calls, type Step, says } from '../support/model-server/script.ts';
import { openScreen } from '../support/screen.ts';
import { start, task } from '../support/subagents.ts';
import { workspace } from '../support/workspace.ts';

/** A list of tasks: `x` done, `>` in progress, `.` pending. */
const todo = (states: string): CallWords => [
  'Todo',
  {
    items: [...states].map((state, i) => ({
      text: `Task ${i}`,
      status: state === 'x' ? 'done' : state === '>' ? 'in_progress' : 'pending',
    })),
  },
];

/** Replies that come only when the test says so. */
function gates(count: number): { gate(i: number, reply: Step): Step; open(i: number): void } {
  const opens: (() => void)[] = [];
  const waits = Array.from({ length: count }, (_, i) => new Promise<void>((resolve) => (opens[i] = resolve)));
  return {
    gate: (i, reply) => async (request) => {
      await waits[i];
      return typeof reply === 'function' ? reply(request) : reply;
    },
    open: (i) => opens[i]?.(),
  };
}

/** The rows from the spinner to the status. */
function pinned(lab: Lab): string[] {
  const rows = lab.rows();
  const from = rows.findLastIndex((row) => row.endsWith('esc to interrupt'));
  if (from === -1) return [];
  const to = rows.indexOf('', from);
  return rows.slice(from + 1, to);
}

const shows = (rows: readonly string[]) => (lab: Lab) => JSON.stringify(pinned(lab)) === JSON.stringify(rows);

describe('the task list', () => {
  test('is pinned under the spinner; the transcript gets what changed; the footer what is open', async () => {
    const { gate, open } = gates(3);
    const { lab } = await openScreen(await workspace(), [
      calls(todo('>..')),
      gate(0, calls(todo('x>.'))),
      gate(1, calls(todo('x>......'))),
      gate(2, says('That is all.')),
    ]);
    lab.type('go\r');
    await lab.waitFor(shows(['  ◐ Task 0', '  ☐ Task 1', '  ☐ Task 2']));
    open(0);
    await lab.waitFor(shows(['  ✓ Task 0', '  ◐ Task 1', '  ☐ Task 2']));
    open(1);
    await lab.waitFor(
      shows(['  ✓ Task 0', '  ◐ Task 1', '  ☐ Task 2', '  ☐ Task 3', '  ☐ Task 4', '  +3 more']),
    );
    open(2);
    await lab.waitFor('7 of 8 todos open');
    await still(lab);
    expect(lab.rows().join('\n')).not.toContain('◐');
    const transcript = lab.all().filter((row) => /^[☐✓◐] /.test(row));
    expect(transcript).toEqual([
      '☐ Task 0 · Task 1 · Task 2',
      '✓ Task 0',
      '☐ Task 3 · Task 4 · Task 5 · Task 6 · Task 7',
    ]);
  });
});

describe('subagents', () => {
  test('are a tree of two rows each, nested ones indented, finished ones in one row', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { gate, open } = gates(3);
    const read = calls(['Read', { file_path: 'a.txt' }]);
    const { model, env } = await start(space, {
      go: [calls(task('outer', 'OUTER'), task('other', 'OTHER')), says('All done.')],
      OUTER: [calls(task('inner', 'INNER')), says('outer is done')],
      INNER: [read, gate(0, says('inner is done'))],
      OTHER: [read, gate(1, says('other is done'))],
    });
    const lab = openLab(space, ['--model', model], { whenDone: onTestFinished, env, columns: 100, rows: 40 });
    await lab.waitFor('gpt-4-turbo');
    lab.type('go\r');
    const tree = () =>
      lab
        .rows()
        .filter((row) => /^ *([⠿✓✗] general: |(Waiting|Reading|Answering))/.test(row))
        .map((row) => row.replaceAll(/\d+s\b/g, '0s').replaceAll(/[\d.]+k? tokens/g, '0 tokens'));
    await lab.waitFor(() => {
      const rows = tree();
      return (
        rows.includes('    Waiting for the model') &&
        rows.filter((row) => row.includes('1 call ·')).length === 3
      );
    });
    expect(tree()).toEqual([
      '⠿ general: outer · 1 call · 0 tokens · 0s',
      '  Waiting for general: inner',
      '  ⠿ general: inner · 1 call · 0 tokens · 0s',
      '    Waiting for the model',
      '⠿ general: other · 1 call · 0 tokens · 0s',
      '  Waiting for the model',
    ]);
    lab.type('\u000f');
    await lab.waitFor('Which conversation?');
    lab.type('\u001b[B\u001b[B\r');
    await lab.waitFor(({ rows, modes }) => modes().alternate && rows().some((row) => row.includes('INNER')));
    lab.type('q');
    await lab.waitFor(({ modes }) => !modes().alternate && tree().length === 6);
    // Nothing is cut at the top: on a small screen each has one row, and the last ones are only counted.
    lab.resize(60, 14);
    await lab.waitFor(
      () => tree()[0]?.startsWith('⠿ general: outer') === true && lab.rows().includes('+2 more'),
    );
    lab.resize(100, 40);
    await lab.waitFor(() => tree().length === 6);
    open(1);
    await lab.waitFor(() => !tree().some((row) => row.startsWith('⠿ general: other')));
    open(0);
    await lab.waitFor('All done.');
    await still(lab);
    expect(lab.rows().join('\n')).not.toContain('⠿');
  });
});
