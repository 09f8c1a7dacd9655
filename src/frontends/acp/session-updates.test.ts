import { expect, test } from 'vitest';
import { SessionUpdates } from './session-updates.ts';

test('a compaction is told in the way the client knows', () => {
  const event = { type: 'compacted' as const, before: 90_000, after: 12_000, by: 'squeeze' };
  const text = 'Compacted from 90,000 to 12,000 tokens: older tool output shortened.';
  const compactions = new SessionUpdates({ cwd: '/p', client: { session: { compaction: {}, notices: {} } } });
  expect([...compactions.of(event), ...compactions.of(event)]).toEqual(
    [1, 2].map((number) => ({
      sessionUpdate: 'compaction_update',
      compactionId: `compaction-${number}`,
      status: 'completed',
      summary: [{ type: 'text', text }],
    })),
  );
  const notices = new SessionUpdates({ cwd: '/p', client: { session: { notices: {} } } });
  expect(notices.of(event)).toEqual([{ sessionUpdate: 'notice', severity: 'info', title: text }]);
  expect(new SessionUpdates({ cwd: '/p', client: {} }).of(event)).toEqual([]);
});
