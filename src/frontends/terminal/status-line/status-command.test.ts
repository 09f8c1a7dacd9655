import { expect, test, vi } from 'vitest';
import type { Printed } from '../../../sandbox/shell/user-command.ts';
import { StatusCommand } from './status-command.ts';

function started(answers: (number: number) => Printed) {
  const seen = { runs: [] as number[], rows: [] as (readonly string[])[], warnings: [] as string[] };
  const command = new StatusCommand({
    settings: { type: 'command', command: 'x', padding: 1 },
    cwd: '/',
    env: {},
    run: async () => {
      seen.runs.push(performance.now());
      return answers(seen.runs.length);
    },
    state: async () => ({}),
    show: (rows) => seen.rows.push(rows),
    warn: (text) => seen.warnings.push(text),
  });
  return { command, seen };
}

test('many changes lead to few runs, at least 300 ms apart, and the last change is shown', async () => {
  const { command, seen } = started((number) => ({ type: 'printed', text: `run ${number}\n\nb\nc\nd` }));
  for (let i = 0; i < 50; i++) command.refresh();
  await vi.waitFor(() => expect(seen.rows).toHaveLength(1));
  for (let i = 0; i < 50; i++) command.refresh();
  await vi.waitFor(() => expect(seen.rows).toHaveLength(2), { timeout: 20_000 });
  command.close();
  command.refresh();
  expect((seen.runs[1] ?? 0) - (seen.runs[0] ?? 0)).toBeGreaterThanOrEqual(295);
  expect(seen.rows).toEqual([
    [' run 1', ' b', ' c'],
    [' run 2', ' b', ' c'],
  ]);
});

test('failures clear the rows and are reported once', async () => {
  const { command, seen } = started(() => ({ type: 'failed', because: 'no' }));
  command.refresh();
  await vi.waitFor(() => expect(seen.rows).toHaveLength(1));
  command.refresh();
  await vi.waitFor(() => expect(seen.rows).toHaveLength(2), { timeout: 20_000 });
  command.close();
  expect(seen).toMatchObject({ rows: [[], []], warnings: ['The status line command failed: no.'] });
});
