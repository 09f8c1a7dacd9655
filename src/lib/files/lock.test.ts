import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { lockFile } from './lock.ts';

test('one holder at a time, and free again when released', async () => {
  const { home } = await workspace();
  const file = path.join(home, 's.jsonl');
  const first = await lockFile(file);
  expect(first).not.toBe(null);
  expect(await lockFile(file)).toBe(null);
  const other = await lockFile(path.join(home, 'other.jsonl'));
  expect(other).not.toBe(null);
  await first?.release();
  const again = await lockFile(file);
  expect(again).not.toBe(null);
  await again?.release();
  await other?.release();
});

test('a lock dies with its owner, also when that is killed', async () => {
  const { home } = await workspace();
  const file = path.join(home, 's.jsonl');
  const here = path.dirname(fileURLToPath(import.meta.url));
  const runner = path.join(here, '../../../scripts/run-ts.mjs');
  const script = path.join(here, '../../../test/support/hold-lock.ts');
  const child = spawn(process.execPath, [runner, script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(await lockFile(file)).toBe(null);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await lockFile(file);
  expect(lock).not.toBe(null);
  await lock?.release();
});
