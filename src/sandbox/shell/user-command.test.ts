import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { runUserCommand } from './user-command.ts';

async function run(command: string, more: { input?: string; timeoutMs?: number; signal?: AbortSignal } = {}) {
  const { root: cwd } = await workspace();
  return runUserCommand({ command, cwd, env: process.env, timeoutMs: 10_000, ...more });
}

test('it reads its input, and what it prints is the result', async () => {
  expect(await run('cat; pwd | grep -c project', { input: 'state\n' })).toEqual({
    type: 'printed',
    text: 'state\n1\n',
  });
  expect(await run('echo done', { input: 'x'.repeat(1_000_000) })).toEqual({
    type: 'printed',
    text: 'done\n',
  });
});

test.each([
  ['echo oops >&2; exit 2', 'oops'],
  ['exit 4', 'exit code 4'],
])('%s is a failure', async (command, because) => {
  expect(await run(command)).toEqual({ type: 'failed', because });
});

test.each([
  ['/no/such/folder', /^the folder .* does not exist/],
  [process.execPath, / is not a folder$/],
])('it fails in %s, and the folder is named', async (cwd, because) => {
  const input = Buffer.from('x');
  expect(await runUserCommand({ command: 'true', cwd, env: process.env, input, timeoutMs: 10_000 })).toEqual({
    type: 'failed',
    because: expect.stringMatching(because),
  });
});

test('it is ended after its time, with everything it started', async () => {
  const startedAt = performance.now();
  expect(await run('sleep 300 & sleep 300', { timeoutMs: 200 })).toEqual({
    type: 'failed',
    because: 'it took longer than 0.2s',
  });
  expect(await run('sleep 300', { signal: AbortSignal.timeout(200) })).toEqual({
    type: 'failed',
    because: 'it was stopped',
  });
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});
