import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noBubblewrap, sandboxedShell } from '../../../test/support/sandboxed.ts';

test.skipIf(noBubblewrap !== null)('a command too long to start leaves no descriptor open', async () => {
  const { run } = await sandboxedShell();
  await run('true');
  const before = readdirSync('/proc/self/fd').length;
  for (let i = 0; i < 5; i++) await expect(run(`: ${'x'.repeat(3_000_000)}`)).rejects.toThrow('E2BIG');
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 5);
});
