import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { listBatches, OpenBatch } from './batch-store.ts';

test('batches of the same minute are listed newest first, too', async () => {
  const { root } = await workspace({});
  const created: string[] = [];
  for (let i = 0; i < 8; i++) {
    const about = { cwd: root, jobs: 1, changes: 'branch', trust: false } as const;
    const batch = await OpenBatch.create(root, [], about);
    batch.close();
    created.unshift(batch.state.description.id);
    for (const { createdAt } = batch.state.description; new Date().toISOString() === createdAt; )
      await pause(1);
  }
  expect(listBatches(root).map(({ description }) => description.id)).toEqual(created);
  expect(listBatches(root, 3).map(({ description }) => description.id)).toEqual(created.slice(0, 3));
});
