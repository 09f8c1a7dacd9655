import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createShell } from './shell.ts';

test('[T11] [Y18] [Y39] a flood is complete on disk, both streams in order of arrival, and memory stays flat', async () => {
  const { root } = await workspace();
  const outputFolder = path.join(root, 'kept', 'outputs');
  const shell = createShell({ cwd: root, env: { PATH: process.env.PATH }, outputFolder });
  onTestFinished(() => shell.close());
  const run = (command: string) =>
    shell.run({
      command,
      timeoutMs: 25_000,
      signal: new AbortController().signal,
      onOutput: () => undefined,
    });
  expect((await run('echo short')).fullOutput).toBeUndefined();

  const before = process.memoryUsage().rss;
  let peak = before;
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const outcome = await run(
    'echo first; sleep 0.1; echo warning >&2; sleep 0.1; yes | head -c 200000000; echo last',
  );
  clearInterval(watching);

  expect(outcome).toMatchObject({ exitCode: 0, stderr: 'warning\n', timedOut: false });
  expect(path.dirname(outcome.fullOutput ?? '')).toBe(outputFolder);
  expect(await endsOf(outcome.fullOutput ?? '')).toEqual({
    size: 200_000_000 + 'first\nwarning\nlast\n'.length,
    mode: 0o600,
    first: 'first\nwarning\ny\ny\n',
    last: 'y\ny\ny\ny\ny\ny\nlast\n',
  });
  expect((peak - before) / 1024 ** 2).toBeLessThan(100);
});

async function endsOf(path: string) {
  const file = await open(path);
  try {
    const { size, mode } = await file.stat();
    const read = async (position: number, length: number) =>
      (await file.read(Buffer.alloc(length), 0, length, position)).buffer.toString();
    return { size, mode: mode & 0o777, first: await read(0, 18), last: await read(size - 17, 17) };
  } finally {
    await file.close();
  }
}
